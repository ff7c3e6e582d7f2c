import EaselCore

/// A request as it came to a ``ScriptableServer``.
public struct ServerRequest: Hashable, Sendable {
  /// The method, as it was spelled.
  public var method: String
  /// What was asked for, query included.
  public var target: String
  /// The protocol, such as `HTTP/1.1`.
  public var version: String
  /// The header fields in the order they came.
  public var headers: HTTPHeaders
  /// The body.
  public var body: [UInt8] = []
  /// The connection it came over: 0 for the first one that was made.
  public var connection = 0
  /// How many requests for the same path came before it.
  public var visit = 0

  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// What follows the question mark, nil where there is none.
  public var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }
}
