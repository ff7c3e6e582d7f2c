/// The address of a server.
public enum RedisAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host and a port.
  case tcp(host: String, port: Int)
  /// The path of a Unix socket.
  case unix(path: String)

  /// The address as people write it.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}
