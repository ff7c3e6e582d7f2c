import FoundationEssentials

/// A port on loopback that is taken and refuses every connection, for as long as this lives.
public final class RefusingPort: Sendable {
  private let listener: ServerListener

  /// Takes a port.
  public init(address: String = "127.0.0.1") throws { listener = try ServerListener(address: address, listens: false) }

  deinit { listener.stop() }

  /// A URL at which connecting is refused.
  public func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(listener.port)\(path)")! }
}
