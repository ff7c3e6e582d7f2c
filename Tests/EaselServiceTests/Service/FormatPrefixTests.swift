import EaselCore
import EaselTestSupport
import Testing

@testable import EaselService

/// Formats at the beginning of paths, for caches that cannot vary.
struct FormatPrefixTests {
  private func studio(_ change: (inout ImageService.Configuration) -> Void = { _ in }) throws -> ServiceStudio {
    let studio = ServiceStudio {
      $0.negotiatedFormats = [.webp]
      change(&$0)
    }
    studio.order()
    try studio.place()
    return studio
  }

  @Test func thePathStandsForWhatTheClientAccepts() async throws {
    let studio = try studio()
    let named = await studio.get("/@webp/p", ["Accept": "image/png"])
    #expect(named.status == 200 && named.headers["Content-Type"] == "image/webp" && named.headers["Vary"] == nil)
    let plain = await studio.get("/@default/p", ["Accept": "image/webp"])
    #expect(plain.headers["Content-Type"] == "image/jpeg" && plain.headers["Vary"] == nil)
    // It is the very picture that a client gets who says so itself.
    let negotiated = await studio.get("/p", ["Accept": "image/webp"])
    #expect(negotiated.bytes == named.bytes && negotiated.headers["ETag"] == named.headers["ETag"])
    #expect(negotiated.headers["Vary"] == "Accept")
    #expect(studio.atOnce("/@webp/p")?.status == 200)
  }

  @Test(arguments: ["/@png/p", "/@nonsense/p", "/@/p", "/@webp", "/@webp,png/p", "/x/@webp/p"])
  func whatIsNotOfferedIsAPathLikeAnyOther(_ path: String) async throws {
    let studio = try studio()
    #expect(await studio.get(path).status == 403)
  }

  @Test func withoutAChoiceThereIsNoPrefix() async throws {
    let studio = ServiceStudio()
    studio.order()
    try studio.place()
    #expect(await studio.get("/@webp/p").status == 403)
  }

  @Test func itComesAfterThePrefixOfTheServer() async throws {
    let studio = try studio {
      $0.pathPrefix = "/pictures"
      $0.usesClientHints = true
    }
    let answer = await studio.get("/pictures/@webp/p")
    #expect(answer.headers["Content-Type"] == "image/webp")
    #expect(answer.headers["Vary"] == ClientHints.fields.joined(separator: ", "))
    #expect(await studio.get("/@webp/pictures/p").status == 404)
  }
}
