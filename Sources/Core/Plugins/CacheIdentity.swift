/// Tells the bytes that a plug-in fetches or changes from other bytes, as part of the cache key.
public enum CacheIdentity: Hashable, Sendable {
  /// The bytes are those that anyone gets at the URL, so the key has no part for this plug-in.
  case plain
  /// The bytes are those of every plug-in with this name.
  ///
  /// Use a name that gives no secret away, because keys are stored and can be read.
  case named(String)
  /// The bytes belong to this instance, so they are never stored on disk.
  case instance

  /// The name; nil for bytes that have none.
  package var name: String? {
    if case .named(let name) = self { name } else { nil }
  }
}
