/// Where a picture came from.
public enum ImageSource: String, Hashable, Sendable {
  /// The memory cache, or an original in it.
  case memory
  /// The disk cache, or an original on it.
  case disk
  /// The loader.
  case network
  /// The cache, after the server said that it is still the right one.
  case revalidated
  /// Bytes that the caller had in hand.
  case bytes
}
