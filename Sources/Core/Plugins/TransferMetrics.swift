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
