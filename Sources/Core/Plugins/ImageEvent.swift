import FoundationEssentials

/// An event in the life of a load.
///
/// ```swift
/// configuration.observer = .closure { event in
///   if case .loaded(let byteCount, _) = event.kind { print("load \(event.load): \(byteCount) bytes") }
/// }
/// ```
public struct ImageEvent: Sendable {
  /// The kind of the event.
  public enum Kind: Sendable {
    /// The load began.
    case started
    /// A cache had the picture, or the bytes to make the picture from.
    case cacheHit(CacheLayers)
    /// No cache had a usable entry.
    case cacheMiss
    /// The coordinator was asked which of several processes does the work.
    case claimed(FlightKey.Kind, ImageEvent.ClaimResult)
    /// The loader was called; attempts count from 1.
    case loading(attempt: Int)
    /// The head of the response arrived.
    case response(ResponseHead)
    /// The body arrived completely and was checked.
    case loaded(byteCount: Int, LoadResult.Metrics?)
    /// The server confirmed the cached picture.
    case notModified
    /// An attempt failed, and another one follows after a delay.
    case retrying(after: Duration, ImageError)
    /// The picture was decoded.
    case decoded(PixelSize, Duration)
    /// A transformer finished.
    case transformed(key: String, Duration)
    /// The picture was encoded, for a caller that wants bytes.
    case encoded(ImageFormat, byteCount: Int, Duration)
    /// An entry was stored.
    case stored(CacheKey, CacheLayers)
    /// A cache failed, but the load continues.
    case cacheFailed(ImageError)
    /// A coder, a transformer or a serializer did not return in time; its thread was abandoned and replaced.
    case threadLost(ImageError)
    /// The load ended with a picture.
    case succeeded(ImageEvent.Source)
    /// The load failed or was cancelled.
    case failed(ImageError)
  }

  /// The number of the load, unique in the process.
  public let load: UInt64
  /// The key of the requested picture; nil when the request had no URL.
  public let key: CacheKey?
  /// The URL of the requested picture; nil for bytes that the caller passed in.
  ///
  /// A user name and a password are replaced by `***`. The query is kept, and may be secret as well.
  public let url: URL?
  /// The beginning of the event.
  ///
  /// For `succeeded` and `failed` this is the beginning of the load, for `loaded` that of the transfer, and for
  /// `decoded`, `transformed` and `encoded` that of the work. Any other event has the time at which it happened, also
  /// for a load that joins later.
  public let began: Date
  /// The number of the shared work in which the event happened; nil for an event of this load alone.
  ///
  /// Every load that shares the work gets the event. To count transfers or decodes, count each number once.
  public let run: UInt64?
  /// True when this load joined work that another load had started.
  public let isJoined: Bool
  /// The kind of the event, with its details.
  public let kind: Kind

  /// Creates an event; the manager does so, and so do tests of observers.
  public init(
    _ kind: Kind, load: UInt64 = 1, key: CacheKey? = nil, run: UInt64? = nil, isJoined: Bool = false, url: URL? = nil,
    began: Date = Date()
  ) {
    self.load = load
    self.key = key
    self.run = run
    self.isJoined = isJoined
    self.kind = kind
    self.url = url
    self.began = began
  }
}

extension ImageEvent.Kind {
  /// The time at which work began if it ended at `now`; `now` itself for events without a duration.
  package func beginning(before now: Date) -> Date {
    switch self {
    case .decoded(_, let time), .transformed(_, let time), .encoded(_, _, let time):
      now.addingTimeInterval(-(time / .seconds(1)))
    default: now
    }
  }
}

extension ImageEvent {
  /// The place that a picture came from.
  public enum Source: String, Hashable, Sendable {
    /// The memory cache, which had the picture or its original.
    case memory
    /// The disk cache, which had the picture or its original.
    case disk
    /// The store that several machines use, or another machine that has just stored the picture there.
    case shared
    /// The loader.
    case network
    /// The cache, after the server confirmed its picture.
    case revalidated
    /// Bytes that the caller passed in.
    case bytes
  }
}
