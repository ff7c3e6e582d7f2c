import EaselColor
import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

@testable import EaselText

struct TransformerTests {
  private static let style = TextStyle(family: "DejaVu Sans", size: 20, color: .black)

  private func run(_ pipeline: TransformerPipeline, _ bitmap: Bitmap) throws -> Bitmap {
    try pipeline.transform(Image(bitmap), work: WorkContext()).bitmap
  }

  static let places: [(TransformerPipeline.Gravity, isRight: Bool, isLow: Bool)] = [
    (.northWest, false, false), (.northEast, true, false), (.southWest, false, true), (.southEast, true, true),
  ]

  @Test(arguments: places)
  func aTextLiesWhereItsGravitySays(
    _ gravity: TransformerPipeline.Gravity, _ isRight: Bool, _ isLow: Bool
  ) throws {
    let ground = try Bitmap(200, 100, .white, .opaqueRGBA8)
    let result = try run(.text("Hill", style: Self.style, gravity: gravity), ground)
    #expect(result.size == ground.size && result.format == ground.format)
    let ink = try #require(result.bounds { $0[0] < 255 })
    #expect(ink.width < 80 && ink.height < 30)
    #expect(isRight ? ink.x > 120 : ink.x + ink.width < 80)
    #expect(isLow ? ink.y > 60 : ink.y + ink.height < 40)
  }

  @Test func aTextIsAWatermarkOfItsPicture() throws {
    let ground = try Bitmap.noise(200, 100, .rgba8)
    let letters = try TextDrawing(text: "Hill", style: Self.style).bitmap(width: 200, work: WorkContext())
    let gravity = TransformerPipeline.Gravity.south.inset(x: 0, y: 5)
    #expect(
      try run(.text("Hill", style: Self.style, gravity: gravity, opacity: 0.5), ground)
        == run(.watermark(letters, name: "m", gravity: gravity, opacity: 0.5), ground))
  }

  @Test func linesAreAsLongAsThePicture() throws {
    let text = String(repeating: "word ", count: 12)
    let ground = try Bitmap(200, 400, .white, .opaqueRGBA8)
    let whole = try #require(run(.text(text, style: Self.style, gravity: .northWest), ground).bounds { $0[0] < 255 })
    #expect(whole.width <= 200 && whole.width > 120)
    let half = try run(.text(text, style: Self.style, width: .share(0.5), gravity: .northWest), ground)
    let ink = try #require(half.bounds { $0[0] < 255 })
    #expect(ink.width <= 100 && ink.height > whole.height)
    #expect(try run(.text(text, style: Self.style, width: .pixels(100), gravity: .northWest), ground) == half)
  }

  @Test func eachSizeOfAPictureHasLinesOfItsOwn() throws {
    let pipeline = TransformerPipeline.text(String(repeating: "word ", count: 12), style: Self.style)
    let sizes = [200, 300, 200].map { PixelSize(width: $0, height: 200) }
    let results = try sizes.map { try run(pipeline, Bitmap($0.width, $0.height, .white, .opaqueRGBA8)) }
    #expect(results[0] == results[2] && results[1].size == sizes[1])
    let fresh = TransformerPipeline.text(String(repeating: "word ", count: 12), style: Self.style)
    #expect(try run(fresh, Bitmap(300, 200, .white, .opaqueRGBA8)) == results[1])
  }

  @Test func nothingChangesNothing() throws {
    let ground = try Bitmap.noise(50, 30, .rgba8)
    #expect(try run(.text(""), ground) == ground && run(.text("Hill", opacity: 0), ground) == ground)
  }

  @Test func aTextThatIsTooHighIsMadeSmaller() throws {
    let ground = try Bitmap(60, 20, .white, .opaqueRGBA8)
    let result = try run(.text("a\nb\nc\nd", style: Self.style, gravity: .center), ground)
    #expect(result.size == ground.size && result.bounds { $0[0] < 200 } != nil)
  }

  @Test func lettersAreDrawnInTheColoursOfThePicture() throws {
    var image = Image(try Bitmap(80, 40, .black, PixelFormat(.rgba16, alpha: .opaque)))
    image.metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    var style = Self.style
    style.color = .white
    let result = try TransformerPipeline.text("HH", style: style).transform(image, work: WorkContext()).bitmap
    let most = (0..<40).flatMap { y in (0..<80).map { result.components($0, y)[0] } }.max()
    // White is far below the brightest that PQ can show.
    #expect((30_000...50_000).contains(try #require(most)))
  }

  @Test func aGainMapIsDropped() throws {
    var image = Image(try Bitmap(80, 40, .white, .opaqueRGBA8))
    image.metadata.gainMap = GainMap(
      try Bitmap(20, 10, .gray8) { _, _ in [90] },
      formula: GainMap.Formula(
        leastGain: SIMD3(repeating: -1), greatestGain: SIMD3(repeating: 3), alternateHeadroom: 3))
    let result = try TransformerPipeline.text("H", style: Self.style).transform(image, work: WorkContext())
    #expect(result.metadata.gainMap == nil)
  }

  // MARK: Keys

  static let keys: [(TransformerPipeline, String)] = [
    (.text("Hi"), "Text(Hi,soea,1,-,{sans%2dserif,32,400,0},#ffffffff,{0,0,1})"),
    (
      .text("a,(b)\u{e4}", width: .share(0.5), gravity: .north.inset(x: 0, y: 3), opacity: 0.5),
      "Text(a%2c%28b%29%c3%a4,no{0,3},0.5,0.5s,{sans%2dserif,32,400,0},#ffffffff,{0,0,1})"
    ),
    (
      .text(
        "x",
        style: TextStyle(
          family: "A", size: 9.5, weight: 700, isItalic: true, color: .black, outline: .init(width: 1.5),
          shadow: .init(x: 1, y: -2, blur: 3, color: .white)), width: .pixels(7)),
      "Text(x,soea,1,7,{A,9.5,700,1},#ff000000,{0,0,1},outline{1.5,#ff000000},shadow{1,-2,3,#ffffffff})"
    ),
  ]

  @Test(arguments: keys)
  func keysReadAsPromised(_ pipeline: TransformerPipeline, _ key: String) {
    #expect(pipeline.cacheKey == key)
  }

  @Test func everyValueIsInTheKeyAndSeen() throws {
    let changes: [(inout TextStyle) -> Void] = [
      { $0.family = "DejaVu Serif" }, { $0.size = 24 }, { $0.weight = 700 }, { $0.isItalic = true },
      { $0.color.red = 200 }, { $0.outline = .init(width: 2, color: .white) },
      { $0.outline = .init(width: 1, color: .white) }, { $0.outline = .init(width: 2) }, { $0.shadow = .init() },
      { $0.shadow = .init(x: 3) }, { $0.shadow = .init(y: 5) }, { $0.shadow = .init(blur: 5) },
      { $0.shadow = .init(color: .white) }, { $0.alignment = .center }, { $0.alignment = .end },
      { $0.lineSpacing = 2 },
    ]
    let ground = try Bitmap(150, 120, PixelColor(red: 90, green: 120, blue: 150), .opaqueRGBA8)
    var seen = [try run(.text("Hill and\ng", style: Self.style, gravity: .center), ground)]
    var keys = [TransformerPipeline.text("Hill and\ng", style: Self.style, gravity: .center).cacheKey]
    for change in changes {
      var style = Self.style
      change(&style)
      let pipeline = TransformerPipeline.text("Hill and\ng", style: style, gravity: .center)
      let result = try run(pipeline, ground)
      #expect(!seen.contains(result) && !keys.contains(pipeline.cacheKey), "\(pipeline.cacheKey)")
      seen.append(result)
      keys.append(pipeline.cacheKey)
    }
    // What begins at the right looks like what ends there.
    var style = Self.style
    style.direction = .rightToLeft
    #expect(!keys.contains(TransformerPipeline.text("Hill and\ng", style: style, gravity: .center).cacheKey))
  }

  @Test(arguments: [TransformerPipeline.Length.pixels(0), .share(0), .share(.nan), .pixels(.max), .share(-1)])
  func widthsWithoutSenseAreRefused(_ width: TransformerPipeline.Length) throws {
    let ground = try Bitmap(50, 30, .white)
    let error = #expect(throws: ImageError.self) { try run(.text("a", width: width), ground) }
    #expect(error?.code == .transformFailed)
  }
}
