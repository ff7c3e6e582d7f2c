/// Something that happened to a load.
public struct ImageEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// The load began.
    case started
    /// A cache had the picture, or the bytes that it is made of.
    case cacheHit(CacheLayers)
    /// No cache had anything to use.
    case cacheMiss
    /// The loader was asked; attempts count from 1.
    case loading(attempt: Int)
    /// The head of the response came.
    case response(ResponseHead)
    /// The body was there, whole and checked.
    case loaded(byteCount: Int, TransferMetrics?)
    /// The server said that the cached picture is still the right one.
    case notModified
    /// An attempt failed and another follows after a while.
    case retrying(after: Duration, ImageError)
    /// The picture was decoded.
    case decoded(PixelSize, Duration)
    /// A transformer finished.
    case transformed(key: String, Duration)
    /// Something was stored.
    case stored(CacheKey, CacheLayers)
    /// A cache failed; the load goes on.
    case cacheFailed(ImageError)
    /// A coder, a transformer or a serializer did not return in its time; its thread was given up and replaced.
    case threadLost(ImageError)
    /// The load ended with a picture.
    case succeeded(ImageSource)
    /// The load ended without one, cancelled ones included.
    case failed(ImageError)
  }

  /// The number of the load, unlike that of any other in the process.
  public let load: UInt64
  /// The key of the picture that is wanted, nil when there was no URL to make one of.
  public let key: CacheKey?
  /// The number of the shared work in which it happened; nil for what concerns the load alone.
  ///
  /// Loads that share work are each told of it: to count transfers or decodes, count each run once.
  public let run: UInt64?
  /// Whether that work was begun for another load, which this one joined.
  public let isJoined: Bool
  /// What happened.
  public let kind: Kind

  package init(load: UInt64, key: CacheKey?, run: UInt64? = nil, isJoined: Bool = false, kind: Kind) {
    self.load = load
    self.key = key
    self.run = run
    self.isJoined = isJoined
    self.kind = kind
  }
}

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
