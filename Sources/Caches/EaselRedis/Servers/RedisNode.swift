import EaselWire

/// A server with two connections: one for small commands and one for large bodies, which must not delay the commands.
final class RedisNode: Sendable {
  let connector: RedisConnector
  private let small: RedisSession
  private let large: RedisSession

  var address: RedisAddress { connector.address }

  init(_ connector: RedisConnector) {
    self.connector = connector
    small = RedisSession(connector)
    large = RedisSession(connector)
  }

  func session(isLarge: Bool) -> RedisSession { isLarge ? large : small }

  func end() {
    small.end()
    large.end()
  }
}
