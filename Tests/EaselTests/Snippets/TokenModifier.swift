import Easel
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

/// A request modifier that sends one user's token, as the documentation shows it.
@Suite(.tags(.alone))
struct TokenModifier {
  private actor Tokens {
    private var count = 0

    func current() -> String {
      count += 1
      return "token-\(count)"
    }
  }

  @Test func aModifierNamesWhoseTokenItSends() async throws {
    let server = try ScriptableServer(routes: ["/a.png": .always(.reply(404))])
    defer { server.close() }
    let tokens = Tokens()
    let asAlice: any RequestModifier = .closure(cacheIdentity: .named("alice")) { request in
      var request = request
      request.headers["X-Token"] = await tokens.current()
      return request
    }
    let manager = ImageManager(.standard(cacheDirectory: nil))
    let asked = ImageRequest(url: server.url("/a.png"), context: [.requestModifier(asAlice)])
    for _ in 0..<2 { await #expect(throws: ImageError.self) { try await manager.image(for: asked) } }
    #expect(server.requests.compactMap { $0.headers["X-Token"] } == ["token-1", "token-2"])

    let asBob: any RequestModifier = .closure(cacheIdentity: .named("bob")) { $0 }
    let bobs = ImageRequest(url: asked.url, context: [.requestModifier(asBob)])
    #expect(manager.cacheKey(for: asked) != manager.cacheKey(for: bobs))
  }
}
