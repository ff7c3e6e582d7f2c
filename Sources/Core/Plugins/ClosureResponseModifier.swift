/// A response modifier made of a closure.
public final class ClosureResponseModifier: ResponseModifier {
  /// What it was given as its identity.
  public let cacheIdentity: String?
  private let body: @Sendable (ResponseHead) async throws -> ResponseHead?

  init(_ cacheIdentity: String?, _ body: @escaping @Sendable (ResponseHead) async throws -> ResponseHead?) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// Calls the closure.
  public func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? {
    try await body(head)
  }
}

extension ResponseModifier where Self == ClosureResponseModifier {
  /// Calls `body`; without an identity what comes of it is kept in memory and for this instance only.
  public static func closure(
    cacheIdentity: String? = nil, _ body: @escaping @Sendable (ResponseHead) async throws -> ResponseHead?
  ) -> Self { ClosureResponseModifier(cacheIdentity, body) }
}
