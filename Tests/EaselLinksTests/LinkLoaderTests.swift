import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselLinks

/// A link gives the picture of its page.
struct LinkLoaderTests {
  private let base = FakeLoader()
  private let link = URL(string: "link:https://host/folder/page")!
  private let page = URL(string: "https://host/folder/page")!

  private func place(_ text: String, at name: String, type: String = "text/html", chunkSize: Int? = nil) -> URL {
    let url = URL(string: name)!
    base.script(url, .body(Array(text.utf8), headers: ["Content-Type": type], chunkSize: chunkSize))
    return url
  }

  private func load(_ request: LoadRequest? = nil, by loader: LinkLoader? = nil) async throws -> String {
    let sink = RecordingSink()
    _ = try await (loader ?? LinkLoader(base)).load(request ?? LoadRequest(url: link), into: sink)
    return String(decoding: sink.body, as: UTF8.self)
  }

  @Test func theFirstPictureThatCanBeHadComes() async throws {
    _ = place(
      """
      <head><meta property="og:image" content="gone.jpg"><meta property="og:image" content="file:///etc/passwd">
      <meta name="twitter:image" content="/card.jpg"></head>
      """, at: page.absoluteString, chunkSize: 7)
    base.script(URL(string: "https://host/folder/gone.jpg")!, .status(404))
    _ = place("card", at: "https://host/card.jpg")
    #expect(try await load() == "card")
    #expect(base.callCount == 3)
    #expect(try await load(by: LinkLoader(base, sources: [.card])) == "card" && base.callCount == 5)
  }

  @Test func aManifestAndTheIconOfTheSiteAreAskedInTheirTurn() async throws {
    _ = place("<link rel=manifest href=/m/app.json>", at: page.absoluteString)
    _ = place(#"{"icons": [{"src": "i.png", "sizes": "64x64"}]}"#, at: "https://host/m/app.json")
    _ = place("icon", at: "https://host/m/i.png")
    _ = place("favicon", at: "https://host/favicon.ico")
    #expect(try await load(by: LinkLoader(base, sources: [.manifest, .icon])) == "icon")
    #expect(try await load() == "favicon")
    base.script(URL(string: "https://host/m/app.json")!, .status(500))
    #expect(try await load(by: LinkLoader(base, sources: [.manifest, .icon])) == "favicon")
  }

  @Test func credentialsStayWithTheirOriginAndConditionsWithThePicture() async throws {
    _ = place(
      #"<meta property="og:image" content="https://other/a.jpg"><meta name="twitter:image" content="b.jpg">"#,
      at: page.absoluteString)
    let other = place("other", at: "https://other/a.jpg")
    let own = place("own", at: "https://host/folder/b.jpg")
    var request = LoadRequest(
      url: link, headers: ["Authorization": "secret", "Accept": "image/*", "If-None-Match": "\"a\""])
    request.validatedURL = other
    #expect(try await load(request) == "other")
    let toPage = try #require(base.calls(for: page).first).request
    #expect(toPage.headers["Authorization"] == "secret" && toPage.headers["If-None-Match"] == nil)
    let toOther = try #require(base.calls(for: other).first).request
    #expect(toOther.headers["Authorization"] == nil && toOther.headers["Accept"] == "image/*")
    #expect(toOther.headers["If-None-Match"] == "\"a\"")
    #expect(try await load(request, by: LinkLoader(base, sources: [.card])) == "own")
    let toOwn = try #require(base.calls(for: own).first).request
    #expect(toOwn.headers["Authorization"] == "secret" && toOwn.headers["If-None-Match"] == nil)
  }

  @Test func aPageIsReadOnlyAsFarAsItsHead() async throws {
    let text = "<head><meta property=og:image content=a.jpg></head><body>" + String(repeating: "x", count: 100_000)
    _ = place(text, at: page.absoluteString, chunkSize: 64)
    _ = place("a", at: "https://host/folder/a.jpg")
    #expect(try await load() == "a")
    let late = String(repeating: " ", count: 5000) + text
    _ = place(late, at: page.absoluteString, chunkSize: 64)
    let error = await #expect(throws: ImageError.self) {
      try await load(by: LinkLoader(base, sources: [.openGraph], pageLimit: 4096))
    }
    #expect(error?.code == .unsupportedFormat && error?.message.contains("names no picture") == true)
  }

  @Test func whatIsNoLinkIsRefused() async throws {
    let loader = LinkLoader(base)
    #expect(loader.canLoad(link) && loader.canLoad(URL(string: "LINK:http://host")!))
    for text in ["https://host/a", "link:file:///a", "link:", "link:link:https://host/a", "link:https:"] {
      #expect(URL(string: text).map(loader.canLoad) != true, "\(text)")
    }
    let post = LoadRequest(url: link, method: "POST")
    await #expect(throws: ImageError.self) { try await load(post) }
    base.script(page, .status(403))
    let error = await #expect(throws: ImageError.self) { try await load() }
    #expect(error?.code == .badStatus && error?.response?.status == 403)
  }

  @Test func noMorePicturesAreTriedThanAFew() async throws {
    let names = (0..<50).map { "<meta property=og:image content=\($0).jpg>" }.joined()
    _ = place(names, at: page.absoluteString)
    await #expect(throws: (any Error).self) { try await load() }
    #expect(base.callCount == 5)
  }

  @Test func theIdentityNamesThePlaces() {
    #expect(LinkLoader(base).cacheIdentity == .named("link openGraph,card,icon,manifest"))
    #expect(LinkLoader(base, sources: [.icon]).cacheIdentity != LinkLoader(base).cacheIdentity)
    #expect(LinkLoader(FakeLoader(cacheIdentity: .instance)).cacheIdentity == .instance)
  }

  @Test func itKeepsTheContractOfLoaders() async {
    _ = place("<head><meta property=og:image content=a.jpg></head>", at: page.absoluteString)
    _ = place("the picture", at: "https://host/folder/a.jpg", chunkSize: 3)
    base.script(URL(string: "https://host/broken")!, .failure(ImageError(.network, "Broken.")))
    let contract = ImageLoaderContract(
      LinkLoader(base), samples: [.init(link, body: Array("the picture".utf8))], foreignURL: page,
      failingURL: URL(string: "link:https://host/broken"))
    #expect(await contract.check() == [])
  }
}
