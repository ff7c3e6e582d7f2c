import FoundationEssentials

/// The result of a successful load.
public enum LoadResult: Sendable {
  /// The sink has received the whole body.
  case body(LoadResult.Metrics?)
  /// The bytes are available in memory or in a file, and did not pass through the sink.
  case bytes(ImageBytes, ResponseHead)
  /// The loader has made the picture itself.
  case image(Image)
  /// The server confirmed the cached response.
  case notModified(ResponseHead)

  /// The head of the response, if the result has one that the sink did not receive.
  package var head: ResponseHead? {
    switch self {
    case .bytes(_, let head), .notModified(let head): head
    case .body, .image: nil
    }
  }
}

extension LoadResult {
  /// The durations and byte counts of a transfer.
  public struct Metrics: Hashable, Sendable {
    /// The time until the host name was resolved.
    public var nameLookup: Duration?
    /// The time until the connection was established.
    public var connect: Duration?
    /// The time until the connection was encrypted.
    public var secureConnect: Duration?
    /// The time until the first byte arrived.
    public var firstByte: Duration?
    /// The total time.
    public var total: Duration
    /// The number of bytes received over the network.
    public var bytesReceived: Int
    /// True when the transfer reused an open connection.
    public var reusedConnection: Bool
    /// The protocol, such as `HTTP/1.1` or `HTTP/2`.
    public var protocolName: String?
    /// The number of redirects that were followed.
    public var redirects: Int

    /// Takes the durations and byte counts of a transfer; only the total time is required.
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
}
