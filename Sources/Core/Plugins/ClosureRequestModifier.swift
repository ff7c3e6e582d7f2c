/// A request modifier made of a closure.
public final class ClosureRequestModifier: RequestModifier {
  /// What it was given as its identity.
  public let cacheIdentity: String?
  private let body: @Sendable (LoadRequest) async throws -> LoadRequest?

  init(_ cacheIdentity: String?, _ body: @escaping @Sendable (LoadRequest) async throws -> LoadRequest?) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// Calls the closure.
  public func modify(_ request: LoadRequest) async throws -> LoadRequest? { try await body(request) }
}

extension RequestModifier where Self == ClosureRequestModifier {
  /// Calls `body`; without an identity what comes of it is kept in memory and for this instance only.
  public static func closure(
    cacheIdentity: String? = nil, _ body: @escaping @Sendable (LoadRequest) async throws -> LoadRequest?
  ) -> Self { ClosureRequestModifier(cacheIdentity, body) }
}
