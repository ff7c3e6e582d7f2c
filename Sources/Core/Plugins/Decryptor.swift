/// Turns a body as it was sent into the bytes of a picture, before anything decodes or caches it.
///
/// It may wait for its key as long as it must, and only cancelling the load ends that. It must not block its thread.
public protocol Decryptor: Sendable {
  /// What tells the bytes it makes from others; nil for "this instance only, never on disk".
  var cacheIdentity: String? { get }

  /// The bytes of the picture.
  func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes
}
