import EaselWire

/// A server, with a connection for small commands and one for large bodies, so that these do not delay those.
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
