/// A decryptor made of a closure.
public final class ClosureDecryptor: Decryptor {
  /// What it was given as its identity.
  public let cacheIdentity: String?
  private let body: @Sendable (ImageBytes) async throws -> ImageBytes

  init(_ cacheIdentity: String?, _ body: @escaping @Sendable (ImageBytes) async throws -> ImageBytes) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// Calls the closure.
  public func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes { try await self.body(body) }
}

extension Decryptor where Self == ClosureDecryptor {
  /// Calls `body`; without an identity what comes of it is kept in memory and for this instance only.
  public static func closure(
    cacheIdentity: String? = nil, _ body: @escaping @Sendable (ImageBytes) async throws -> ImageBytes
  ) -> Self { ClosureDecryptor(cacheIdentity, body) }
}
