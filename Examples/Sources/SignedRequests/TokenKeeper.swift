import Easel

/// Keeps a bearer token, and fetches a new token before a request when the old one has expired.
///
/// It is an actor, so that a hundred simultaneous requests wait for one new token.
actor TokenKeeper: RequestModifier {
  nonisolated let user: String
  private let uses: Int
  private var token: (text: String, usesLeft: Int)?
  private var refresh: Task<String, Never>?
  private(set) var refreshCount = 0

  /// The identity is the user, not the token, because the token changes.
  nonisolated var cacheIdentity: CacheIdentity { .named("user:\(user)") }

  init(user: String, usesPerToken: Int) {
    self.user = user
    uses = usesPerToken
  }

  func modify(_ request: LoadRequest) async -> LoadRequest? {
    var request = request
    request.headers["Authorization"] = "Bearer \(await validToken())"
    return request
  }

  private func validToken() async -> String {
    if let token, token.usesLeft > 0 {
      self.token!.usesLeft -= 1
      return token.text
    }
    if let refresh { return await refresh.value }
    let number = refreshCount + 1
    // A real program would ask its server here.
    let refresh = Task { "token-\(number)-of-\(user)" }
    self.refresh = refresh
    let text = await refresh.value
    refreshCount = number
    token = (text, uses - 1)
    self.refresh = nil
    return text
  }
}
