import EaselColor
import EaselCore
import EaselPixels
import EaselSupport
import EaselTestPixels
import Testing

@testable import EaselTransformers

struct LayersTests {
  private typealias Layer = TransformerPipeline.Layer

  @Test(arguments: [PixelFormat.gray8, .rgba8, .opaqueRGBA8, .rgba16])
  func layersAreOverlaysOneAfterAnother(format: PixelFormat) throws {
    let ground = try Bitmap.noise(30, 20, format)
    let (first, second) = (try Bitmap.noise(10, 8, .rgba8, seed: 2), try Bitmap.noise(6, 6, .gray8, seed: 3))
    let layers = TransformerPipeline.layers([
      Layer(first, name: "a", gravity: .northWest.inset(x: 2, y: 1), opacity: 0.5, mode: .multiply),
      Layer(second, name: "b", gravity: .southEast, opacity: 0.75, mode: .screen),
    ])
    let expected = try ground.overlaid(with: first, x: 2, y: 1, mode: .multiply, opacity: 0.5)
      .overlaid(with: second, x: 24, y: 14, mode: .screen, opacity: 0.75)
    #expect(try layers.run(ground) == expected)
  }

  @Test func aLayerHasAPipelineOfItsOwn() throws {
    let (ground, mark) = (try Bitmap.noise(30, 20, .rgba8), try Bitmap.noise(40, 40, .rgba8, seed: 2))
    let pipeline = TransformerPipeline.resize(width: 8, height: 8).then(.grayscale)
    let layers = TransformerPipeline.layers([Layer(mark, name: "m", pipeline, gravity: .center)])
    let expected = try ground.overlaid(with: pipeline.run(mark), x: 11, y: 6)
    #expect(try layers.run(ground) == expected)
  }

  @Test func theNextLayerOfThePictureSeesTheLayersBefore() throws {
    let (ground, mark) = (try Bitmap.noise(30, 20, .rgba8), try Bitmap.noise(9, 9, .rgba8, seed: 2))
    let layers = TransformerPipeline.layers([
      Layer(.blur(2), opacity: 0.4), Layer(mark, name: "m", gravity: .west), Layer(.grayscale, mode: .overlay),
    ])
    var expected = try ground.overlaid(with: ground.blurred(radius: 2), x: 0, y: 0, opacity: 0.4)
    expected = try expected.overlaid(with: mark, x: 0, y: 5)
    expected = try expected.overlaid(
      with: TransformerPipeline.grayscale.run(expected), x: 0, y: 0, mode: .overlay)
    #expect(try layers.run(ground) == expected)
  }

  static let parts: [(TransformerPipeline.Gravity, PixelRect)] = [
    (.center, PixelRect(x: 5, y: 10, width: 20, height: 10)),
    (.northWest, PixelRect(x: 0, y: 0, width: 20, height: 10)),
    (.southEast, PixelRect(x: 10, y: 20, width: 20, height: 10)),
    (.north, PixelRect(x: 5, y: 0, width: 20, height: 10)),
  ]

  @Test(arguments: parts)
  func ofALargerLayerThePartIsDrawnThatTheGravityKeeps(gravity: TransformerPipeline.Gravity, part: PixelRect) throws {
    let (ground, mark) = (try Bitmap.noise(20, 10, .opaqueRGBA8), try Bitmap.noise(30, 30, .opaqueRGBA8, seed: 2))
    let result = try TransformerPipeline.layers([Layer(mark, name: "m", gravity: gravity)]).run(ground)
    #expect(try result == mark.cropped(to: part))
  }

  @Test func onlyOneSideMayBeLarger() throws {
    let ground = try Bitmap(20, 10, .black, .opaqueRGBA8)
    let bar = try Bitmap(4, 30, .white, .opaqueRGBA8)
    let result = try TransformerPipeline.layers([Layer(bar, name: "m", gravity: .east)]).run(ground)
    for x in 0..<20 {
      for y in [0, 9] { #expect(result.components(x, y)[0] == (x >= 16 ? 255 : 0)) }
    }
  }

  @Test func layersOfWhichNothingIsSeenAreNotInTheKey() throws {
    let (ground, mark) = (try Bitmap.noise(20, 10, .rgba8), try Bitmap.noise(5, 5, .rgba8, seed: 2))
    let (seen, unseen) = (Layer(mark, name: "m"), Layer(mark, name: "n", opacity: 0, mode: .screen))
    let layers = TransformerPipeline.layers([unseen, seen, unseen])
    #expect(layers.cacheKey == TransformerPipeline.layers([seen]).cacheKey)
    #expect(try layers.run(ground) == TransformerPipeline.layers([seen]).run(ground))
    #expect(try TransformerPipeline.layers([unseen]).run(ground) == ground)
    // This one changes what is under it even without an opacity.
    let clearing = TransformerPipeline.layers([Layer(mark, name: "n", opacity: 0, mode: .sourceIn)])
    #expect(clearing.cacheKey != TransformerPipeline.layers([]).cacheKey)
  }

  // MARK: Keys

  private static let mark = try! Bitmap.noise(6, 5, .rgba8, seed: 2)

  static let keys: [(TransformerPipeline, String)] = [
    (.layers([.init(mark, name: "logo")]), "Layers({logo,ce,1,0})"),
    (
      .layers([
        .init(.blur(2), opacity: 0.5, mode: .multiply),
        .init(
          mark, name: "a,{b}-c", .resize(width: 9).then(.flip(horizontal: true)), gravity: .south.inset(x: 0, y: 2)),
      ]), "Layers({-,ce,0.5,1,Blur(2)},{a%2c%7bb%7d%2dc,so{0,2},1,0,Resize({9,0},0,4,1)-Flip(1,0)})"
    ),
    (.layers([.init(mark, name: "-")]), "Layers({%2d,ce,1,0})"), (.layers([]), "Layers()"),
    (
      .layers([.init(.layers([.init(mark, name: "in", gravity: .smart)]))]), "Layers({-,ce,1,0,Layers({in,ce,1,0})})"
    ),
  ]

  @Test(arguments: keys)
  func keysReadAsPromised(pipeline: TransformerPipeline, key: String) throws {
    #expect(pipeline.cacheKey == key)
    let overlays = Dictionary(uniqueKeysWithValues: ["logo", "a,{b}-c", "-", "in"].map { ($0, Self.mark) })
    let parsed = try TransformerPipeline(parsing: key, overlays: overlays)
    #expect(parsed.cacheKey == key)
    let bitmap = try Bitmap.noise(30, 24, .rgba8)
    #expect(try parsed.run(bitmap) == pipeline.run(bitmap))
  }

  static let mistakes: [(String, String)] = [
    ("Layers({x,ce,1,0})", "one of the given overlays"), ("Layers({-,ce,1})", "\",\""),
    ("Layers({-,ce,1,0}", "\")\""), ("Layers({-,ce,1,0,})", "a transformer's name"),
    ("Layers({-,ce,1,0,Blur(2)-})", "a transformer's name"), ("Layers({-,ce,1,0},)", "\"{\""),
    ("Layers({-,ce,1,15})", "a blend mode"), ("Layers({-,up,1,0})", "a gravity"),
    ("Layers({-,ce,1,0,Flap()})", "one of"),
    (String(repeating: "Layers({-,ce,1,0,", count: 5000), "at most 8 deep"),
  ]

  @Test(arguments: mistakes)
  func whatIsNoKeySaysWhy(text: String, expectation: String) {
    let error = #expect(throws: ImageError.self) { try TransformerPipeline(parsing: text) }
    #expect(error?.code == .transformFailed && error?.message.contains(expectation) == true, "\(error!)")
  }

  @Test func everyParameterCounts() throws {
    let bitmap = try Bitmap.noise(30, 24, .rgba8)
    let plain = TransformerPipeline.layers([.init(Self.mark, name: "a")])
    let others: [TransformerPipeline] = [
      .layers([.init(Self.mark, name: "a", .flip(horizontal: true))]),
      .layers([.init(Self.mark, name: "a", gravity: .west)]), .layers([.init(Self.mark, name: "a", opacity: 0.5)]),
      .layers([.init(Self.mark, name: "a", mode: .multiply)]), .layers([.init(.grayscale)]),
      .layers([.init(try Bitmap.noise(6, 5, .rgba8, seed: 3), name: "b")]),
      .layers([.init(Self.mark, name: "a"), .init(Self.mark, name: "a", gravity: .north)]),
    ]
    for other in others {
      #expect(other.cacheKey != plain.cacheKey)
      #expect(try other.run(bitmap) != plain.run(bitmap), "\(other.cacheKey)")
    }
    let (north, west) = (Layer(Self.mark, name: "a", gravity: .north), Layer(.blur(3)))
    let (one, other) = (TransformerPipeline.layers([north, west]), TransformerPipeline.layers([west, north]))
    #expect(try one.cacheKey != other.cacheKey && one.run(bitmap) != other.run(bitmap))
  }

  static let nonsense: [(TransformerPipeline, String)] = [
    (.layers([.init(mark, name: "")]), "needs a name"), (.layers([.init(mark, name: "a", opacity: 1.5)]), "opacity"),
    (.layers([.init(.blur(1), opacity: -0.1)]), "opacity"), (.layers([.init(.blur(1), opacity: .nan)]), "opacity"),
    (.layers([.init(mark, name: "a", gravity: .focalPoint(x: 2, y: 0))]), "focal point"),
    (.layers(Array(repeating: .init(.blur(1)), count: 65)), "64 layers"),
    (.layers([.init(mark, name: "a", .blur(-1))]), "radius"),
  ]

  @Test(arguments: nonsense)
  func layersWithoutSenseAreRefused(pipeline: TransformerPipeline, rule: String) throws {
    let bitmap = try Bitmap.noise(30, 24, .rgba8)
    let error = #expect(throws: ImageError.self) { try pipeline.run(bitmap) }
    #expect(error?.code == .transformFailed && error?.message.contains(rule) == true, "\(error!)")
  }

  // MARK: Work

  /// A transformer that counts its calls.
  private struct Counting: Transformer {
    let calls: Locked<Int>
    let cacheKey = "Counting()"

    func transform(_ image: Image, work: WorkContext) throws -> Image {
      calls.withLock { $0 += 1 }
      return image
    }
  }

  @Test func aPipelineOfAPictureRunsOnce() throws {
    let calls = Locked(0)
    let layers = TransformerPipeline.layers([Layer(Self.mark, name: "a", .custom(Counting(calls: calls)))])
    for seed in 1...5 { _ = try layers.run(Bitmap.noise(30, 24, .rgba8, seed: UInt64(seed))) }
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func aPipelineOfThePictureRunsEachTime() throws {
    let calls = Locked(0)
    let layers = TransformerPipeline.layers([Layer(.custom(Counting(calls: calls)))])
    for seed in 1...5 { _ = try layers.run(Bitmap.noise(30, 24, .rgba8, seed: UInt64(seed))) }
    #expect(calls.withLock { $0 } == 5)
  }

  @Test func aLayerKeepsTheLimits() throws {
    let layers = TransformerPipeline.layers([Layer(Self.mark, name: "a", .resize(width: 5000, height: 5000))])
    var limits = Limits()
    limits.resultPixels = 1_000_000
    let error = #expect(throws: ImageError.self) { try layers.run(Bitmap.noise(30, 24, .rgba8), limits: limits) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func errorsOfOtherTransformersAreOnesOfTheLayer() throws {
    struct Odd: Error {}
    let failing = TransformerPipeline.closure(key: "Odd()") { _ in throw Odd() }
    let error = #expect(throws: ImageError.self) {
      try TransformerPipeline.layers([Layer(failing)]).run(Bitmap.noise(9, 9, .rgba8))
    }
    #expect(error?.code == .transformFailed && error?.message.contains("Odd()") == true)
  }

  @Test func coloursOfALayerAreThoseOfThePicture() throws {
    let description = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    var image = Image(try Bitmap(8, 8, .black, PixelFormat(.rgba16, alpha: .opaque)))
    image.metadata.color = description
    let white = try Bitmap(2, 2, .white, .opaqueRGBA8)
    let layer = try TransformerPipeline.layers([Layer(white, name: "w", .flip(horizontal: true))])
      .transform(image, work: WorkContext())
    let mark = try TransformerPipeline.watermark(white, name: "w", gravity: .center)
      .transform(image, work: WorkContext())
    #expect(layer.bitmap == mark.bitmap && layer.bitmap.components(4, 4)[0] < 60_000)
  }
}
