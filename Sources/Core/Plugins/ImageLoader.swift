import FoundationEssentials

/// Fetches the bytes at a URL, or makes the picture itself.
///
/// ```swift
/// struct AssetLoader: ImageLoader {
///   let assets: [String: ImageBytes]
///   var cacheIdentity: CacheIdentity { .named("assets") }
///   func canLoad(_ url: URL) -> Bool { url.scheme == "asset" }
///   func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
///     let asset = assets[request.url.host() ?? ""] ?? ImageBytes([])
///     return .bytes(asset, ResponseHead(url: request.url))
///   }
/// }
/// ```
public protocol ImageLoader: Sendable {
  /// Separates the bytes of this loader from those of others in cache keys.
  var cacheIdentity: CacheIdentity { get }

  /// True when the loader can load this URL.
  func canLoad(_ url: URL) -> Bool

  /// The name of the picture at this URL, and where it may be stored.
  func origin(of url: URL) -> ImageOrigin

  /// Loads the URL of a request.
  ///
  /// The head and then the bytes go to `sink`; cancelling the task ends the load.
  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult

  /// Decides whether a URL that failed with this error is blocked for a while.
  ///
  /// Nil leaves the decision to the manager.
  func shouldBlock(_ url: URL, after error: ImageError) -> Bool?
}

extension ImageLoader {
  /// Names the picture by its URL and allows storing it everywhere.
  public func origin(of url: URL) -> ImageOrigin { ImageOrigin(key: url.absoluteString, cacheIdentity: cacheIdentity) }

  /// Returns nil, which leaves the decision to the manager.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? { nil }
}

/// The name of a picture in cache keys, and the places where it may be stored.
public struct ImageOrigin: Hashable, Sendable {
  /// The entries that may be stored on disk.
  public enum DiskUse: Hashable, Sendable {
    /// The original and its variants.
    case everything
    /// Only variants, because the original is already a file on disk.
    case variantsOnly
    /// Neither the original nor its variants.
    case nothing
  }

  /// The name of the original in the cache key, unless a filter chooses another name.
  public var key: String
  /// Separates the bytes of this origin from others with the same name.
  public var cacheIdentity: CacheIdentity
  /// The entries that may be stored on disk.
  public var diskUse: DiskUse
  /// True when the URL always has this origin.
  ///
  /// If false, as for a file that someone may edit, the manager asks the loader again for each load.
  public var isLasting: Bool

  /// Creates an origin with a name, and with the entries that may be stored on disk.
  public init(
    key: String, cacheIdentity: CacheIdentity = .plain, diskUse: DiskUse = .everything, isLasting: Bool = true
  ) {
    self.key = key
    self.cacheIdentity = cacheIdentity
    self.diskUse = diskUse
    self.isLasting = isLasting
  }
}

/// Receives the head and the body of a response from a loader.
public protocol LoadSink: Sendable {
  /// Takes the head without waiting.
  ///
  /// Returns false when ``begin(_:)`` must be awaited instead.
  func beginAtOnce(_ head: ResponseHead) throws -> Bool

  /// Takes the head, and waits for response modifiers and checks.
  ///
  /// Throws when the load must end. The loader pauses the transfer until this returns.
  func begin(_ head: ResponseHead) async throws

  /// Takes the next bytes without blocking, and returns what the sink wants next.
  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand

  /// Discards everything from `offset` on, because the source sends that part again.
  func restart(at offset: Int)

  /// The bytes appended so far, for a loader that continues an interrupted body; nil when the sink does not keep them.
  var receivedBytes: ImageBytes? { get }

  /// Calls `resume` once when the sink is ready for more bytes after a ``LoadDemand/pause``.
  func whenReady(_ resume: @escaping @Sendable () -> Void)
}

extension LoadSink {
  /// Returns false, so that ``begin(_:)`` is always awaited.
  public func beginAtOnce(_ head: ResponseHead) throws -> Bool { false }

  /// Returns nil: the sink keeps no bytes.
  public var receivedBytes: ImageBytes? { nil }

  /// Calls `resume` immediately.
  public func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }
}

/// The next action that a sink requests from its loader.
public enum LoadDemand: Hashable, Sendable {
  /// Send more.
  case more
  /// Wait until ``LoadSink/whenReady(_:)`` calls back.
  ///
  /// The sink has taken the bytes that were just passed.
  case pause
  /// End the load.
  ///
  /// The caller of the loader reports the error.
  case stop
}
