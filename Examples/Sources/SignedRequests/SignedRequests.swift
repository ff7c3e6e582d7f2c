import Easel
import EaselTestSupport
import ExampleSupport
import FoundationEssentials

/// Uses two request modifiers: one signs URLs with an expiry, the other sends a token that is renewed.
@main
struct SignedRequests {
  static func main() async throws {
    try await signURLs()
    try await refreshTokens()
  }

  private static func signURLs() async throws {
    let gallery = try Gallery()
    let picture = ServerFile(Array(try Gallery.png(1)), contentType: "image/png")
    let signer = HMACSigner(key: "a secret of client and server", lifetime: 60) { 1_000_000 }
    gallery.server.setRoute(
      "/private.png",
      ServerRoute { request in
        signer.accepts(path: request.path, query: request.query ?? "") ? picture.answer(to: request) : .reply(403)
      })
    let url = gallery.server.url("/private.png")
    let manager = ImageManager(.standard(cacheDirectory: nil))

    do {
      _ = try await manager.image(for: url)
      print("unsigned: let in, which must not be")
    } catch {
      print("unsigned: \(error.code.name), status \(error.status ?? 0)")
    }
    let image = try await manager.image(for: url, context: [.requestModifier(signer)])
    print("signed: \(image.size)")

    let late = HMACSigner(key: signer.key, lifetime: -1, now: signer.now)
    let context: ImageContext = [.requestModifier(late)]
    do {
      _ = try await manager.image(for: url, options: [.fromLoaderOnly], context: context)
      print("expired: let in, which must not be")
    } catch {
      print("expired: \(error.code.name), status \(error.status ?? 0)")
    }

    // The signature changes each second, but the cached picture is still found.
    let later = HMACSigner(key: signer.key, lifetime: 60) { 1_000_030 }
    let again = ImageRequest(url: url, context: [.requestModifier(later)])
    print("half a minute later, from memory: \(manager.cachedImage(for: again) != nil)")
  }

  private static func refreshTokens() async throws {
    let gallery = try Gallery()
    let urls = try gallery.offerLandscapes(0..<6)
    let keeper = TokenKeeper(user: "ada", usesPerToken: 3)
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.requestModifier = keeper
    let manager = ImageManager(configuration)
    for url in urls { _ = try await manager.image(for: url) }
    let tokens = gallery.server.requests.map { $0.headers["Authorization"] ?? "none" }
    print("tokens sent: \(tokens.joined(separator: ", "))")
    print("token refreshed \(await keeper.refreshCount) times")
  }
}
