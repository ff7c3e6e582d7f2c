import FoundationEssentials

/// Brings the bytes, or the picture, behind a URL.
public protocol ImageLoader: Sendable {
  /// What tells the bytes of this loader from those of others: empty for the plain web, nil for "this instance only".
  var cacheIdentity: String? { get }

  /// Whether it takes such a URL.
  func canLoad(_ url: URL) -> Bool

  /// How pictures from such a URL are named and kept.
  func origin(of url: URL) -> ImageOrigin

  /// Loads; the head and the bytes go to `sink` in order, and cancelling the task ends it.
  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult

  /// Whether a URL that failed like this is not tried again for a while; nil leaves it to the manager.
  func shouldBlock(_ url: URL, after error: ImageError) -> Bool?
}

extension ImageLoader {
  /// Named by its URL and kept everywhere.
  public func origin(of url: URL) -> ImageOrigin { ImageOrigin(key: url.absoluteString, scope: cacheIdentity) }

  /// Leaves it to the manager.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? { nil }
}

/// How a load ended well.
public enum LoadResult: Sendable {
  /// The body went to the sink whole.
  case body(TransferMetrics?)
  /// The bytes lie ready, in memory or in a file, and did not go through the sink.
  case bytes(ImageBytes, ResponseHead)
  /// The picture is made already.
  case image(Image)
  /// The server says that what is cached is still the right one.
  case notModified(ResponseHead)

  /// The head that comes with the result and not by the sink.
  var head: ResponseHead? {
    switch self {
    case .bytes(_, let head), .notModified(let head): head
    case .body, .image: nil
    }
  }
}

/// What a transfer took.
public struct TransferMetrics: Hashable, Sendable {
  /// Until the name was known.
  public var nameLookup: Duration?
  /// Until the connection stood.
  public var connect: Duration?
  /// Until it was encrypted.
  public var secureConnect: Duration?
  /// Until the first byte came.
  public var firstByte: Duration?
  /// In all.
  public var total: Duration
  /// The bytes that came over the wire.
  public var bytesReceived: Int
  /// Whether an open connection served again.
  public var reusedConnection: Bool
  /// The protocol: `HTTP/1.1`, `HTTP/2`.
  public var protocolName: String?
  /// The redirects that were followed.
  public var redirects: Int

  /// Creates metrics.
  public init(
    nameLookup: Duration? = nil, connect: Duration? = nil, secureConnect: Duration? = nil, firstByte: Duration? = nil,
    total: Duration = .zero, bytesReceived: Int = 0, reusedConnection: Bool = false, protocolName: String? = nil,
    redirects: Int = 0
  ) {
    self.nameLookup = nameLookup
    self.connect = connect
    self.secureConnect = secureConnect
    self.firstByte = firstByte
    self.total = total
    self.bytesReceived = bytesReceived
    self.reusedConnection = reusedConnection
    self.protocolName = protocolName
    self.redirects = redirects
  }
}

/// How a loader wants pictures from one of its URLs to be named and kept.
public struct ImageOrigin: Hashable, Sendable {
  /// What of it may go to disk.
  public enum DiskUse: Hashable, Sendable {
    /// The original and its variants.
    case everything
    /// Variants only, since the original lies on a disk already.
    case variantsOnly
    /// Nothing.
    case nothing
  }

  /// Which picture: the original of the cache key when no filter names it.
  public var key: String
  /// Which bytes: empty for the plain ones, nil for "this instance only, never on disk".
  public var scope: String?
  /// What of it may go to disk.
  public var diskUse: DiskUse
  /// Whether the same URL has this origin for ever; a file that may be edited is asked for it each time.
  public var isLasting: Bool

  /// Creates an origin.
  public init(key: String, scope: String? = "", diskUse: DiskUse = .everything, isLasting: Bool = true) {
    self.key = key
    self.scope = scope
    self.diskUse = diskUse
    self.isLasting = isLasting
  }
}
