import Testing

@testable import EaselCore
@testable import EaselService

/// Descriptions and tiles of Deep Zoom.
struct DeepZoomTests {
  private func order(_ path: String) throws -> ImageOrder {
    try DeepZoomGrammar().order(at: GrammarAddress(path))
  }

  @Test func theLevels() {
    for (width, height, top) in [(1, 1, 0), (2, 1, 1), (3, 1, 2), (256, 256, 8), (257, 1, 9), (32_768, 4, 15)] {
      #expect(DeepZoomGrammar.topLevel(of: PixelSize(width: width, height: height)) == top)
    }
  }

  @Test(arguments: [
    ("10/0_0", PixelRect(x: 0, y: 0, width: 256, height: 256), 256, 256),
    ("10/3_2", PixelRect(x: 768, y: 512, width: 232, height: 88), 232, 88),
    ("9/1_1", PixelRect(x: 512, y: 512, width: 488, height: 88), 244, 44),
    ("8/0_0", PixelRect(x: 0, y: 0, width: 1000, height: 600), 250, 150),
    ("0/0_0", PixelRect(x: 0, y: 0, width: 1000, height: 600), 1, 1),
  ])
  func aTileIsAPart(_ tile: String, _ part: PixelRect, _ width: Int, _ height: Int) throws {
    let completion = try #require(try order("/a%2Fb.tif_files/\(tile).jpg").completion)
    let order = try completion(PixelSize(width: 1000, height: 600))
    #expect(order.source == "local:///a/b.tif" && order.format == .jpeg && order.region == part)
    #expect(order.recipe.width == width && order.recipe.height == height)
  }

  @Test(arguments: ["11/0_0", "10/4_0", "10/0_3", "8/1_0", "0/0_1"])
  func noTileIsOutside(_ tile: String) throws {
    let completion = try #require(try order("/a_files/\(tile).jpg").completion)
    let error = #expect(throws: ServiceError.self) { try completion(PixelSize(width: 1000, height: 600)) }
    #expect(error?.status == 404)
  }

  @Test func aDescriptionNamesTheSizeAndTheTiles() throws {
    let order = try order("/a%2Fb.tif.dzi")
    #expect(order.source == "local:///a/b.tif" && order.answer == .document)
    let text = try #require(order.document).text(
      PictureDocument.Facts(size: PixelSize(width: 1000, height: 600), base: "http://host"))
    #expect(text.mediaType == "application/xml" && text.text.contains("<Size Width=\"1000\" Height=\"600\"/>"))
    #expect(text.text.contains("TileSize=\"256\""))
  }

  @Test(arguments: [
    ("/", 404), ("/.dzi", 404), ("/a", 404), ("/_files/1/0_0.jpg", 404), ("/a_files/1", 404), ("/a/1/0_0.jpg", 404),
    ("/a_files/x/0_0.jpg", 400), ("/a_files/1/00.jpg", 400), ("/a_files/1/0_0", 400), ("/a_files/1/0_0.gif", 400),
    ("/a_files/1/0_0_0.jpg", 400), ("/a_files/41/0_0.jpg", 400), ("/a%zz.dzi", 400),
  ])
  func aMistakeHasAStatus(_ path: String, _ status: Int) {
    let error = #expect(throws: ServiceError.self) { try order(path) }
    #expect(error?.status == status)
  }
}
