/// The part of the cache key that separates the bytes of a plug-in from other bytes at the same URL.
public enum CacheIdentity: Hashable, Sendable {
  /// The bytes are the same for everyone at the URL, so the key has no part for this plug-in.
  case plain
  /// The bytes are the same for all plug-ins with this name.
  ///
  /// The name must not contain a secret, because keys are stored and can be read.
  case named(String)
  /// The bytes belong to this instance, so the cache never stores them on disk.
  case instance

  /// The name, if the identity has one.
  package var name: String? {
    if case .named(let name) = self { name } else { nil }
  }
}
