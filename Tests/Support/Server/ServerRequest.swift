import EaselCore

/// A request that a ``ScriptableServer`` received.
public struct ServerRequest: Hashable, Sendable {
  /// The method, spelled as received.
  public var method: String
  /// The request target, query included.
  public var target: String
  /// The protocol, such as `HTTP/1.1`.
  public var version: String
  /// The header fields in the order received.
  public var headers: HTTPHeaders
  /// The body.
  public var body: [UInt8] = []
  /// The number of the connection, counted from 0.
  public var connection = 0
  /// The number of earlier requests for the same path.
  public var visit = 0

  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The query after the question mark; nil if there is none.
  public var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }
}
