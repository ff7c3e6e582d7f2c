import EaselCore
import EaselSupport
import EaselWorkers
import FoundationEssentials

/// Lets one of several processes do work while the others wait, with claims in Redis.
///
/// A claim is a value with a short lease, which its holder extends while it works. A process that waits gets a message
/// when the claim ends. It also asks from time to time, in case the holder has died.
public final class RedisCoordinator: FlightCoordinator {
  /// The time between two questions, in case a message was lost.
  private static let pause = Duration.milliseconds(250)
  /// The number of leases of others that may run out before the work is done without a claim.
  private static let mostExpiries = 2

  private let store: RedisStore
  private let shared: any SharedStore
  private let lease: Duration
  private let answerTime: Duration
  private let subscriptions: RedisSubscriptions
  private let node = RedisMark.hex(UInt64.random(in: 0 ... .max))
  private let claimCount = Locked<UInt64>(0)
  private let clock: any ImageClock

  /// Creates a coordinator that uses the servers of `store`.
  ///
  /// If results are in a composed store, pass that as `shared`; the coordinator looks for them there. A process that
  /// dies keeps its claims for `lease` at most. If the server does not answer within 0.1 seconds, work is done without
  /// a claim.
  public convenience init(
    _ store: RedisStore, lookingIn shared: (any SharedStore)? = nil, lease: Duration = .seconds(3)
  ) {
    self.init(store, lookingIn: shared, lease: lease, answerTime: .milliseconds(100))
  }

  /// Creates a coordinator with another time limit for answers of the server, after which work is done without a claim.
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

  /// The parameters of one call of `claim`.
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
        // The caller no longer waits, and may have given the claim up before the command reached the server.
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
      // If the entry is damaged or was removed, the next question does not find it, and gets the claim.
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
      // A claim may have ended before its message could be received, so there is always one more question.
      let left: Duration
      switch try await ask(attempt) {
      case .answer(.yours(let claim)):
        guard let error = subscriber.failure else { return .yours(claim) }
        // The claim ended during this question, and the others who wait get the same failure.
        await claim.end(.failed(error))
        return .failed(error)
      case .answer(let answer): return answer
      case .held(let newHolder, let rest):
        // If a message is still on its way, the previous claim was ended, and its lease did not run out.
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

  /// Gives up a claim that the server may have granted although its answer did not come.
  private func giveUp(_ attempt: Attempt) async {
    let command = RedisScript.end.command(
      keys: [attempt.name],
      [attempt.token, attempt.names.channel, ClaimMessage.text(attempt.name, .abandoned)])
    await store.client.post(command, for: attempt.names.mark)
  }

  /// Waits a short time for an answer of the server.
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
