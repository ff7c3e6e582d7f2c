import EaselWire

/// The address of a server.
public enum RedisAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host and a port.
  case tcp(host: String, port: Int)
  /// The path of a Unix socket.
  case unix(path: String)

  /// The address as people write it.
  public var description: String { onTheWire.description }

  /// The address in the form that connections use.
  var onTheWire: WireAddress {
    switch self {
    case .tcp(let host, let port): .tcp(host: host, port: port)
    case .unix(let path): .unix(path: path)
    }
  }
}
