import EaselCore
import EaselSupport
import EaselWorkers
import FoundationEssentials

/// Lets one of several processes do work that the others wait for, by claims in Redis.
///
/// A claim is a value with a short lease, which its holder extends while it works. Whoever waits hears a message when it
/// ends, and looks from time to time, in case the holder has died.
public final class RedisCoordinator: FlightCoordinator {
  /// The time between two looks, in case a message was lost.
  private static let pause = Duration.milliseconds(250)
  /// The leases of others that may run out before the work is done without a claim.
  private static let mostExpiries = 2

  private let store: RedisStore
  private let shared: any SharedStore
  private let lease: Duration
  private let answerTime: Duration
  private let subscriptions: RedisSubscriptions
  private let node = RedisMark.hex(UInt64.random(in: 0 ... .max))
  private let claimCount = Locked<UInt64>(0)
  private let clock: any ImageClock

  /// Creates a coordinator on the servers of `store`.
  ///
  /// `shared` is the store in which others put what they made, if it is composed of several. A process that dies holds
  /// its claims for `lease` at most. Without an answer of the server for 0.1 seconds, work is done without a claim.
  public convenience init(
    _ store: RedisStore, lookingIn shared: (any SharedStore)? = nil, lease: Duration = .seconds(3)
  ) {
    self.init(store, lookingIn: shared, lease: lease, answerTime: .milliseconds(100))
  }

  /// Creates a coordinator that waits longer or shorter for an answer of its server, after which it works without a claim.
  public convenience init(
    _ store: RedisStore, lookingIn shared: (any SharedStore)? = nil, lease: Duration = .seconds(3), answerTime: Duration
  ) {
    self.init(store, lookingIn: shared ?? store, lease: lease, answerTime: answerTime, clock: SystemClock())
  }

  init(
    _ store: RedisStore, lookingIn shared: any SharedStore, lease: Duration, answerTime: Duration, clock: any ImageClock
  ) {
    self.store = store
    self.shared = shared
    self.lease = lease
    self.answerTime = answerTime
    self.clock = clock
    subscriptions = RedisSubscriptions(store.client)
  }

  /// Claims work, or waits for the process that has claimed it.
  public func claim(_ key: FlightKey, within limit: Duration) async -> FlightKey.Answer {
    guard key.key.isStorable else { return .goAhead }
    let attempt = Attempt(key, token: newToken(), names: store.names(key.key), deadline: clock.uptime + limit.bounded)
    do {
      switch try await ask(attempt) {
      case .answer(let answer): return answer
      case .held: return try await wait(attempt)
      }
    } catch {
      await giveUp(attempt)
      return .goAhead
    }
  }

  /// One call of `claim`.
  private struct Attempt: Sendable {
    let key: FlightKey
    let token: String
    let names: RedisNames
    let deadline: Duration

    init(_ key: FlightKey, token: String, names: RedisNames, deadline: Duration) {
      (self.key, self.token, self.names, self.deadline) = (key, token, names, deadline)
    }

    var name: String { names.claim(of: key.kind) }
  }

  private enum Turn {
    case answer(FlightKey.Answer)
    case held(by: String, left: Duration)
  }

  private func newToken() -> String {
    let number = claimCount.withLock { count in
      count += 1
      return count
    }
    return "\(node)-\(number)"
  }

  /// Asks the server once.
  private func ask(_ attempt: Attempt) async throws -> Turn {
    let store = store
    let names = attempt.names
    let reply = try await soon(unclaimed: { _ in Task.detached { await self.giveUp(attempt) } }) {
      let (keys, terms) = ([names.mark, names.entry, attempt.name], [attempt.token, "\(self.lease.milliseconds)"])
      let command =
        if store.client.isOneServer {
          RedisScript.claim.command(keys: keys + [store.epoch.name], [""] + terms)
        } else {
          RedisScript.claim.command(keys: keys, [RedisMark.hex(try await store.epoch.recent())] + terms)
        }
      do {
        return try await store.client.send(command, for: names.mark)
      } catch {
        // The caller no longer waits, and its own giving up may have come before the command.
        await self.giveUp(attempt)
        throw error
      }
    }
    guard let parts = reply.elements, let kind = parts.first?.number else {
      throw RedisFailure(unexpected: reply, to: "EVAL")
    }
    switch (kind, parts.count) {
    case (1, 3):
      let entry = try await soon { try await store.handedOver(mark: parts[1], value: parts[2], names) }
      // A damaged or removed entry is not there the next time, which then gives the claim.
      return entry.map { .answer(.ready($0)) } ?? .held(by: "", left: .zero)
    case (2, 1):
      return .answer(.yours(RedisClaim(attempt.key, attempt.token, names, of: store, lease: lease, clock: clock)))
    case (3, 3):
      return .held(by: parts[2].text ?? "", left: .milliseconds(max(0, parts[1].number ?? 0)))
    default: throw RedisFailure(unexpected: reply, to: "EVAL")
    }
  }

  private func wait(_ attempt: Attempt) async throws -> FlightKey.Answer {
    let subscriber = ClaimSubscriber(attempt.name, about: attempt.key.key)
    let subscriptions = subscriptions
    defer { subscriptions.stop(attempt.names.channel, subscriber) }
    try await soon {
      try await subscriptions.start(attempt.names.channel, subscriber)
      await subscriber.isReady()
    }
    var holder = ""
    var firstExpiry = Duration.zero
    var expiries = 0
    while !Task.isCancelled {
      let start = clock.uptime
      // A claim may have ended before its end could be heard, so there is always one more look.
      let left: Duration
      switch try await ask(attempt) {
      case .answer(.yours(let claim)):
        guard let error = subscriber.failure else { return .yours(claim) }
        // It ended while this was asked, and the others who wait hear the same.
        await claim.end(.failed(error))
        return .failed(error)
      case .answer(let answer): return answer
      case .held(let newHolder, let rest):
        // The news of an end may be late, and then the lease has not run out.
        if !holder.isEmpty, newHolder != holder, !subscriber.hasNews, clock.uptime >= firstExpiry { expiries += 1 }
        (holder, left, firstExpiry) = (newHolder, rest, start + rest)
      }
      let now = clock.uptime
      guard now < attempt.deadline, expiries < Self.mostExpiries else { return .goAhead }
      let jitter = Duration.milliseconds(Int64.random(in: 1...200))
      switch await subscriber.message(within: min(attempt.deadline - now, left + jitter, Self.pause), by: clock) {
      case .failed(let error)?: return .failed(error)
      case .stored?:
        let shared = shared
        if let entry = try await soon({ try await shared.entry(for: attempt.key.key) }) { return .ready(entry) }
      case .abandoned?, nil: break
      }
    }
    return .goAhead
  }

  /// Gives up a claim that may have been granted although no answer came.
  private func giveUp(_ attempt: Attempt) async {
    let command = RedisScript.end.command(
      keys: [attempt.name],
      [attempt.token, attempt.names.channel, ClaimMessage.text(attempt.name, .abandoned)])
    await store.client.post(command, for: attempt.names.mark)
  }

  /// Waits for an answer of the server, but not long.
  private func soon<Value: Sendable>(
    unclaimed: @escaping @Sendable (Value) -> Void = { _ in },
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let answerTime = answerTime
    return try await Timeout.wait(
      atMost: answerTime, by: clock,
      failure: { ImageError(.timedOut, "Redis did not answer within \(answerTime).") },
      unclaimed: unclaimed, for: body)
  }
}
