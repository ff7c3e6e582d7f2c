import FoundationEssentials

/// A port on loopback that never answers connection attempts while this object lives.
///
/// The queue of connections that wait to be accepted is full, so the system leaves further ones unanswered.
public final class DeafPort: Sendable {
  private let listener: ServerListener
  private let occupant: RawClient

  /// Opens the port.
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

  /// A URL where connecting never ends.
  public func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }
}
