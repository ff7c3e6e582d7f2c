import Easel
import EaselService
import EaselServiceTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

/// The snippets of the pages on grammars of URLs.
@Suite(.tags(.alone))
struct GrammarSnippetTests {
  private func folder() async throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder + "/2024", withIntermediateDirectories: true)
    let bitmap = try Bitmap(size: PixelSize(width: 1600, height: 1200), format: .opaqueRGBA8)
    try await Image(bitmap).write(to: URL(filePath: folder + "/2024/beach.png"))
    return folder
  }

  @Test func aGrammarOfTheGuideServesPictures() async throws {
    let folder = try await folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var settings = ImageService.Configuration(
      .standard(cacheDirectory: nil), grammars: [GrammarMount(AlbumGrammar(), at: "/albums")])
    settings.folder = try FolderLoader(folder: folder)
    settings.sources = try SourceRules(allowing: ["https://example.com"], folder: true)
    let service = ImageService(settings)
    let answer = await service.response(to: ServiceRequest(target: "/albums/small/2024/beach.png"))
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/png")
    #expect(await service.response(to: ServiceRequest(target: "/albums/large/2024/beach.png")).status == 400)
  }

  @Test func theGrammarKeepsItsContract() async {
    let contract = URLGrammarContract(
      AlbumGrammar(), sources: ["/small/2024/beach%201.jpg": "local:///2024/beach 1.jpg"],
      meanings: [["/small/a.jpg", "/small/%61.jpg"], ["/page/a.jpg"]], mistakes: ["/large/a.jpg": "large"])
    #expect(await contract.check() == [])
  }

  @Test func severalGrammarsAreServedAtOnce() async throws {
    let signer = URLSigner([try URLSigner.Key(hexadecimal: "943b421c9eb07c83", salt: "520f986b998545b4")])
    var settings = ImageService.Configuration(.standard(cacheDirectory: nil), signer: signer)
    settings.sources = try SourceRules(allowing: ["https://images.example.com"])
    settings.grammars += [
      GrammarMount(CloudflareGrammar(widths: [320, 640, 1280]), at: "/cdn-cgi/image"),
      GrammarMount(NextGrammar(), at: "/_next/image"), GrammarMount(IIIFGrammar(), at: "/iiif"),
    ]
    let service = ImageService(settings)
    for target in ["/cdn-cgi/image/width=300/https://images.example.com/a.jpg", "/iiif/a/full/full/0/default.jpg"] {
      #expect(await service.response(to: ServiceRequest(target: target)).status == 400)
    }
    #expect(
      await service.response(to: ServiceRequest(target: "/_next/image?url=https://other/a&w=64&q=75")).status == 403)
  }

  @Test func partsAndDocumentsFollowFromTheSize() throws {
    let order = try QuarterGrammar().order(at: GrammarAddress("/top-left/a.jpg"))
    let size = PixelSize(width: 640, height: 481)
    #expect(try order.completion?(size).region == PixelRect(x: 0, y: 0, width: 320, height: 240))
    let facts = PictureDocument.Facts(size: size, base: "https://img.example.com/quarters")
    let document = try QuarterGrammar().order(at: GrammarAddress("/size/a.jpg"))
    #expect(document.document?.text(facts).text == "{\"width\":640,\"height\":481}")
  }
}

/// A grammar whose pictures are quarters of others.
private struct QuarterGrammar: URLGrammar {
  let name = "quarters"
  let traits: URLGrammarTraits = []

  func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
    var order = ImageOrder(source: "local://" + String(address.path.drop { $0 != "-" && $0 != "/" }))
    if address.path.hasPrefix("/top-left/") {
      let whole = order
      order.completion = { size throws(ServiceError) in
        guard size.width > 1, size.height > 1 else { throw ServiceError(400, "The picture has no quarters.") }
        var part = whole
        part.region = PixelRect(x: 0, y: 0, width: size.width / 2, height: size.height / 2)
        return part
      }
    }
    if address.path.hasPrefix("/size/") {
      order.answer = .document
      order.document = PictureDocument { facts in
        PictureDocument.Text(
          "{\"width\":\(facts.size.width),\"height\":\(facts.size.height)}", mediaType: "application/json")
      }
    }
    return order
  }
}
