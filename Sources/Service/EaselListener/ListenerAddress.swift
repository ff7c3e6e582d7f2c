import Glibc

/// A place where a listener waits for connections.
public enum ListenerAddress: Hashable, Sendable {
  /// A port of the addresses that a name or a numeric address stands for; port 0 lets the system choose.
  ///
  /// An empty host stands for all addresses of the machine, of IPv4 and IPv6.
  case tcp(host: String, port: Int)
  /// The path of a Unix socket, and the mode of its file.
  case unix(path: String, mode: UInt32)
  /// A socket that listens already, such as one of systemd; the listener closes it at its end.
  case inherited(descriptor: Int32)

  /// The sockets that systemd handed over to this process.
  ///
  /// The variables are meant for one process only, so they count only with its number.
  public static func fromSystemd(_ environment: [String: String], process: Int32 = getpid()) -> [ListenerAddress] {
    guard environment["LISTEN_PID"] == "\(process)", let text = environment["LISTEN_FDS"], let count = Int32(text),
      count > 0, count <= 1024
    else { return [] }
    return (0..<count).map { .inherited(descriptor: 3 + $0) }
  }
}

extension ListenerAddress: CustomStringConvertible {
  /// The address as it is written in settings and messages.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path, _): "unix:\(path)"
    case .inherited(let descriptor): "descriptor \(descriptor)"
    }
  }
}

/// The error of a listener that could not be started.
public struct ListenerError: Error, Hashable, CustomStringConvertible {
  /// One sentence about the address and the reason.
  public let description: String

  package init(_ description: String) { self.description = description }

  /// An error with the reason that the system gave.
  init(_ action: String, _ address: ListenerAddress, code: Int32 = errno) {
    self.init("Could not \(action) \(address): \(String(cString: strerror(code))).")
  }
}
