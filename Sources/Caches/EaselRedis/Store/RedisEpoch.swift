import EaselCore
import EaselSupport

/// A number that all entries under a prefix share, kept by the server; raising it removes all these entries.
///
/// Scripts read it themselves if all keys are on one server. In a cluster, most keys are on other servers than this
/// number. A client then sends a number with its script, and asks afterwards whether it was right.
final class RedisEpoch: Sendable {
  /// The time for which a known number may be sent with scripts.
  ///
  /// Each lookup renews the known number.
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

  /// A number that was right a moment ago.
  func recent() async throws -> UInt64 {
    let now = clock.uptime
    if let known = known.withLock({ $0 }), known.until > now { return known.number }
    return try await current()
  }

  /// Asks for the present number.
  func current() async throws -> UInt64 { try await ask(raises: false) }

  /// Raises the number.
  func raise() async throws { _ = try await ask(raises: true) }

  /// Reads the number in the reply to a lookup; returns nil if the server has none.
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
