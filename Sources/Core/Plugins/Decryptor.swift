/// Turns a body as it was sent into the bytes of a picture, before anything decodes or caches it.
public protocol Decryptor: Sendable {
  /// What tells the bytes it makes from others; nil for "this instance only, never on disk".
  var cacheIdentity: String? { get }

  /// The bytes of the picture.
  func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes
}
