import EaselCore
import EaselSupport

/// The number that all entries of a prefix have, as the server tells it; raising it removes them all.
///
/// Scripts read it themselves if all keys are on one server. In a cluster it is on another server than most keys, so
/// that a client sends a number with its script, and asks afterwards if it was the right one.
final class RedisEpoch: Sendable {
  /// The time for which a number is good enough to be sent; lookups bring it anew each time.
  private static let trust = Duration.seconds(1)

  let name: String
  private let client: RedisClient
  private let clock: any ImageClock
  private let known = Locked<(number: UInt64, until: Duration)?>(nil)

  init(_ name: String, _ client: RedisClient, clock: any ImageClock) {
    self.name = name
    self.client = client
    self.clock = clock
  }

  /// The number that was the right one a moment ago.
  func recent() async throws -> UInt64 {
    let now = clock.uptime
    if let known = known.withLock({ $0 }), known.until > now { return known.number }
    return try await current()
  }

  /// The number of now.
  func current() async throws -> UInt64 { try await ask(raises: false) }

  /// Raises the number.
  func raise() async throws { _ = try await ask(raises: true) }

  /// The number in a reply to a lookup; nil if the server has none.
  func note(_ reply: RedisReply) -> UInt64? {
    guard let number = reply.text.flatMap({ UInt64($0) }) else { return nil }
    note(number)
    return number
  }

  private func ask(raises: Bool) async throws -> UInt64 {
    let reply = try await client.send(RedisScript.epoch.command(keys: [name], [raises ? "1" : "0"]), for: name)
    guard let number = note(reply) else { throw RedisFailure(unexpected: reply, to: "EVAL") }
    return number
  }

  private func note(_ number: UInt64) {
    let until = clock.uptime + Self.trust
    known.withLock { $0 = (number, until) }
  }
}
