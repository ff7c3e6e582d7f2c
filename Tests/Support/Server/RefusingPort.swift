import FoundationEssentials

/// A port on loopback that is taken and refuses every connection while this object lives.
public final class RefusingPort: Sendable {
  private let listener: ServerListener

  /// Opens the port.
  public init() throws { listener = try ServerListener(address: "127.0.0.1", backlog: nil) }

  deinit { listener.stop() }

  /// The port.
  public var port: Int { listener.port }

  /// A URL at which connecting is refused.
  public func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }
}
