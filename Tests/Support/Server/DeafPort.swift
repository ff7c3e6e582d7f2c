import FoundationEssentials

/// A port on loopback where connecting is never answered, for as long as this lives.
///
/// The place for connections that wait to be accepted is taken, and the system leaves further ones without an answer.
public final class DeafPort: Sendable {
  private let listener: ServerListener
  private let occupant: RawClient

  /// Takes a port.
  public init() throws {
    listener = try ServerListener(address: "127.0.0.1", backlog: 0)
    occupant = try RawClient(port: listener.port)
  }

  deinit {
    occupant.close()
    listener.stop()
  }

  /// The port.
  public var port: Int { listener.port }

  /// A URL at which connecting takes for ever.
  public func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }
}
