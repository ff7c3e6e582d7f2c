import EaselWire

/// A server, with a connection for small commands and one for large bodies, so that these do not delay those.
final class RedisNode: Sendable {
  let link: RedisLink
  private let small: RedisLane
  private let large: RedisLane

  var address: RedisAddress { link.address }

  init(_ link: RedisLink) {
    self.link = link
    small = RedisLane(link)
    large = RedisLane(link)
  }

  func lane(isLarge: Bool) -> RedisLane { isLarge ? large : small }

  func end() {
    small.end()
    large.end()
  }
}
