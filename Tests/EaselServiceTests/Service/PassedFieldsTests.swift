import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselService

/// Fields of requests that go on to sources.
struct PassedFieldsTests {
  private func studio() throws -> ServiceStudio {
    let studio = ServiceStudio {
      $0.passing = PassedFields(names: ["Cookie", "X-Group"]) { $0.host() == "host" ? ["Cookie", "X-Group"] : [] }
    }
    studio.order()
    try studio.place(headers: ["Cache-Control": "max-age=600"])
    return studio
  }

  @Test func theyKeepPicturesApart() async throws {
    let studio = try studio()
    let first = await studio.get("/p", ["X-Group": "a", "X-Other": "c"])
    #expect(first.status == 200 && first.headers["Vary"] == "Cookie, X-Group")
    #expect(first.headers["Cache-Control"]?.hasPrefix("public") == true)
    let sent = try #require(studio.loader.calls(for: ServiceStudio.source).first?.request.headers)
    #expect(sent["X-Group"] == "a" && sent["X-Other"] == nil)
    _ = await studio.get("/p", ["X-Group": "b"])
    #expect(studio.loader.callCount == 2)
    #expect(studio.atOnce("/p", ["X-Group": "a"])?.status == 200)
    #expect(studio.atOnce("/p", ["X-Group": "c"]) == nil)
    #expect(studio.atOnce("/p") == nil)
  }

  /// Nobody else may get what was made with the right of one user.
  @Test func whatIsAskedForWithCredentialsIsPrivate() async throws {
    let studio = try studio()
    let answer = await studio.get("/p", ["Cookie": "id=1"])
    #expect(answer.headers["Cache-Control"] == "private, no-store")
    #expect(studio.atOnce("/p", ["Cookie": "id=1"])?.headers["Cache-Control"] == "private, no-store")
    #expect(studio.atOnce("/p", ["Cookie": "id=2"]) == nil)
  }

  @Test func otherSourcesGetNothing() async throws {
    let studio = try studio()
    studio.order(at: "/q") { $0.source = "https://other/a.jpg" }
    try studio.place(at: #require(URL(string: "https://other/a.jpg")))
    let answer = await studio.get("/q", ["Cookie": "id=1"])
    #expect(answer.headers["Vary"] == nil && answer.headers["Cache-Control"]?.hasPrefix("public") == true)
    let url = try #require(URL(string: "https://other/a.jpg"))
    #expect(studio.loader.calls(for: url).first?.request.headers["Cookie"] == nil)
  }
}
