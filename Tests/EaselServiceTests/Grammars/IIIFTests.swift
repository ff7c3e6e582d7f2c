import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// URLs of the IIIF Image API 3.0, with the examples of its specification.
struct IIIFTests {
  /// The picture of the specification's examples.
  private static let picture = PixelSize(width: 300, height: 200)

  private func order(_ path: String, _ grammar: IIIFGrammar = IIIFGrammar()) throws -> ImageOrder {
    try grammar.order(at: GrammarAddress(path))
  }

  private func whole(
    _ path: String, _ size: PixelSize = picture, _ grammar: IIIFGrammar = IIIFGrammar()
  ) throws -> ImageOrder {
    let completion = try #require(try order(path, grammar).completion)
    return try completion(size)
  }

  // MARK: Regions and sizes

  @Test(arguments: [
    ("full", PixelRect(x: 0, y: 0, width: 300, height: 200)),
    ("square", PixelRect(x: 50, y: 0, width: 200, height: 200)),
    ("125,15,120,140", PixelRect(x: 125, y: 15, width: 120, height: 140)),
    ("pct:41.6,7.5,40,70", PixelRect(x: 125, y: 15, width: 120, height: 140)),
    ("125,15,200,200", PixelRect(x: 125, y: 15, width: 175, height: 185)),
    ("pct:41.6,7.5,66.6,100", PixelRect(x: 125, y: 15, width: 175, height: 185)),
    ("pct:0,0,100,100", PixelRect(x: 0, y: 0, width: 300, height: 200)),
  ])
  func regions(_ text: String, _ part: PixelRect) throws {
    #expect(try whole("/id/\(text)/max/0/default.jpg").region == part)
  }

  @Test(arguments: [
    ("max", 300, 200), ("150,", 150, 100), (",150", 225, 150), ("pct:50", 150, 100), ("225,100", 225, 100),
    ("!225,100", 150, 100), ("^360,", 360, 240), ("^,240", 360, 240), ("^pct:120", 360, 240), ("^360,360", 360, 360),
    ("^!360,360", 360, 240), ("!300,900", 300, 200), ("^150,", 150, 100), ("1,1", 1, 1), ("pct:100", 300, 200),
    ("pct:33.3", 100, 67),
  ])
  func sizes(_ text: String, _ width: Int, _ height: Int) throws {
    let recipe = try whole("/id/full/\(text)/0/default.jpg").recipe
    #expect(recipe.width == width && recipe.height == height && recipe.fitting == .force)
  }

  @Test(arguments: [("max", 200, 133), ("^max", 200, 133), ("^!500,500", 200, 133)])
  func theServerBoundsTheLargestSize(_ text: String, _ width: Int, _ height: Int) throws {
    let grammar = IIIFGrammar(limits: Limits(resultSide: 200))
    let recipe = try whole("/id/full/\(text)/0/default.jpg", Self.picture, grammar).recipe
    #expect(recipe.width == width && recipe.height == height)
    for size in ["201,", ",134", "pct:70", "201,1"] {
      let error = #expect(throws: ServiceError.self) {
        try whole("/id/full/\(size)/0/default.jpg", Self.picture, grammar)
      }
      #expect(error?.status == 400)
    }
  }

  @Test func theNumberOfPixelsIsBoundedToo() throws {
    let grammar = IIIFGrammar(limits: Limits(resultPixels: 15_000))
    let recipe = try whole("/id/full/^max/0/default.jpg", Self.picture, grammar).recipe
    #expect(recipe.width == 150 && recipe.height == 100)
  }

  /// Sizes that only `^` allows, and parts without pixels.
  @Test(arguments: [
    "full/301,", "full/,201", "full/pct:101", "full/301,10", "full/!301,201", "0,0,100,100/101,", "square/201,",
    "300,0,10,10/max", "0,200,10,10/max", "0,0,0,10/max", "0,0,10,0/max", "pct:100,0,10,10/max", "full/pct:0.1",
    "pct:0,0,0,50/max",
  ])
  func whatThePictureCannotGiveIsRefused(_ text: String) {
    let error = #expect(throws: ServiceError.self) { try whole("/id/\(text)/0/default.jpg") }
    #expect(error?.status == 400)
  }

  // MARK: Rotation, quality, format

  @Test(arguments: [
    ("0", ""), ("360", ""), ("90", "Rotate(-90)"), ("180", "Rotate(-180)"), ("270", "Rotate(90)"), ("!0", "Flip"),
    ("!180", "Flip Rotate(-180)"), ("22.5", "Rotate(-22.5)"), ("345", "Rotate(15)"), (".5", "Rotate(-0.5)"),
  ])
  func rotations(_ text: String, _ expected: String) throws {
    var turn = TransformerPipeline.identity
    for step in expected.split(separator: " ") {
      if step == "Flip" {
        turn = turn.then(.flip(horizontal: true))
      } else {
        turn = turn.then(.rotate(degrees: try #require(Double(step.dropFirst(7).dropLast()))))
      }
    }
    #expect(try whole("/id/full/max/\(text)/default.jpg").recipe.turn.cacheKey == turn.cacheKey)
  }

  /// The size of a URL is that before the turn.
  @Test func aQuarterTurnSwapsTheSides() throws {
    let recipe = try whole("/id/full/150,100/90/default.jpg").recipe
    #expect(recipe.width == 100 && recipe.height == 150)
    #expect(try whole("/id/full/150,100/180/default.jpg").recipe.width == 150)
  }

  @Test func qualities() throws {
    for (name, key) in [
      ("default", ""), ("color", ""), ("gray", TransformerPipeline.grayscale.cacheKey),
      ("bitonal", TransformerPipeline.grayscale.then(.contrast(512)).cacheKey),
    ] {
      #expect(try whole("/id/full/max/0/\(name).jpg").recipe.effects.cacheKey == key)
    }
  }

  @Test(arguments: [("jpg", "image/jpeg"), ("png", "image/png"), ("webp", "image/webp"), ("gif", "image/gif")])
  func formats(_ name: String, _ type: String) throws {
    #expect(try order("/id/full/max/0/default.\(name)").format?.mimeType == type)
  }

  @Test func formatsAreThoseThatTheServerWrites() throws {
    let grammar = IIIFGrammar(formats: [ImageFormat(mimeType: "image/tiff")])
    #expect(try order("/id/full/max/0/default.tif", grammar).format?.mimeType == "image/tiff")
    #expect(throws: ServiceError.self) { try order("/id/full/max/0/default.webp", grammar) }
    #expect(try order("/id/full/max/0/default.jpg", grammar).format == .jpeg)
  }

  // MARK: Addresses

  @Test(arguments: [
    ("/abcd1234", "local:///abcd1234"), ("/a%2Fb%20c.tif", "local:///a/b c.tif"),
    ("/https%3A%2F%2Fexample.com%2Fa.jpg", "https://example.com/a.jpg"), ("/%2Fa", "local:///a"),
    ("/67352ccc%2Dd1b0", "local:///67352ccc-d1b0"),
  ])
  func identifiersAreFilesOrAddresses(_ identifier: String, _ source: String) throws {
    #expect(try order("\(identifier)/full/max/0/default.jpg").source == source)
    #expect(try order("\(identifier)/info.json").answer == .document)
    for path in [identifier, identifier + "/"] {
      let redirect = try order(path)
      #expect(redirect.source == source && redirect.answer == .redirect("\(identifier)/info.json"))
    }
  }

  @Test(arguments: [
    ("/id/full/max/0/default.jpg", "/id/full/max/0/default.jpg"),
    ("/id/0,0,300,200/300,/360/color.png", "/id/full/max/360/color.png"),
    ("/id/pct:0,0,50,50/pct:50/!0/gray.jpg", "/id/0,0,150,100/75,50/!0/gray.jpg"),
    ("/id/square/^400,/22.50/bitonal.jpg", "/id/50,0,200,200/^400,400/22.5/bitonal.jpg"),
    ("/a%2Fb/full/!150,150/0/default.jpg", "/a%2Fb/full/150,100/0/default.jpg"),
  ])
  func theCanonicalAddress(_ path: String, _ canonical: String) throws {
    #expect(try whole(path).canonicalPath == canonical)
  }

  /// Statuses as the specification has them.
  @Test(arguments: [
    ("/", 404, "nothing"), ("/a/b/full/max/0/default.jpg", 404, "%2F"), ("/id/full/max/0", 404, "%2F"),
    ("/[frob]/full/max/0/default.jpg", 400, "identifier"), ("/id/Full/max/0/default.jpg", 400, "'Full'"),
    ("/id/1,2,3/max/0/default.jpg", 400, "'1,2,3'"), ("/id/-1,0,1,1/max/0/default.jpg", 400, "region"),
    ("/id/pct:1,2,3/max/0/default.jpg", 400, "region"), ("/id/1.5,0,1,1/max/0/default.jpg", 400, "region"),
    ("/id/full/full/0/default.jpg", 400, "'full'"), ("/id/full/,/0/default.jpg", 400, "size"),
    ("/id/full/0,/0/default.jpg", 400, "size"), ("/id/full/!1,/0/default.jpg", 400, "size"),
    ("/id/full/pct:x/0/default.jpg", 400, "size"), ("/id/full/pct:0/0/default.jpg", 400, "size"),
    ("/id/full/^/0/default.jpg", 400, "size"), ("/id/full/1,2,3/0/default.jpg", 400, "size"),
    ("/id/full/max/361/default.jpg", 400, "rotation"), ("/id/full/max/-90/default.jpg", 400, "rotation"),
    ("/id/full/max/!/default.jpg", 400, "rotation"), ("/id/full/max/1e2/default.jpg", 400, "rotation"),
    ("/id/full/max/0/grey.jpg", 400, "'grey'"), ("/id/full/max/0/default.xyz", 400, "'xyz'"),
    ("/id/full/max/0/default", 400, "format"), ("/id/full/max/0/default.", 400, "format"),
    ("/id%zz/full/max/0/default.jpg", 400, "percent"),
  ])
  func aMistakeIsNamed(_ path: String, _ status: Int, _ name: String) {
    let error = #expect(throws: ServiceError.self) { try order(path) }
    #expect(error?.status == status && error?.message.contains(name) == true, "\(error?.message ?? "")")
  }

  // MARK: Descriptions

  @Test func tilesEndWithTheWholePictureInOne() {
    #expect(IIIFDescription.factors(of: PixelSize(width: 6000, height: 4000), tileSide: 512) == [1, 2, 4, 8, 16])
    #expect(IIIFDescription.factors(of: PixelSize(width: 512, height: 1), tileSide: 512) == [1])
    #expect(IIIFDescription.factors(of: PixelSize(width: 513, height: 1), tileSide: 512) == [1, 2])
    let limits = IIIFLimits(side: 400, pixels: 100_000)
    #expect(
      IIIFDescription.sizes(of: PixelSize(width: 600, height: 400), limits: limits)
        == [(38, 25), (75, 50), (150, 100), (300, 200)].map { PixelSize(width: $0.0, height: $0.1) })
  }
}
