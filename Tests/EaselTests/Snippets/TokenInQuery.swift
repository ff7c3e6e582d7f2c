import Easel
import FoundationEssentials

// Documentation: writing a request modifier.
struct TokenInQuery: RequestModifier {
  var user: String
  var token: @Sendable () async throws -> String

  // The token changes, but the picture depends only on the user.
  var cacheIdentity: CacheIdentity { .named("token-of-\(user)") }

  func modify(_ request: LoadRequest) async throws -> LoadRequest? {
    guard var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true) else { return nil }
    let field = "token=\(try await token())"
    parts.percentEncodedQuery = parts.percentEncodedQuery.map { "\($0)&\(field)" } ?? field
    guard let url = parts.url else { return nil }
    var request = request
    request.url = url
    return request
  }
}
