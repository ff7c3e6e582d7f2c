import EaselCore
import EaselRecords
import EaselWorkers
import FoundationEssentials

/// Lets one of several processes do work while the others wait, with leases in memcached.
///
/// `mg` with `N` creates an empty value if there is none, and tells exactly one client that it has won. The holder
/// extends its lease while it works. memcached does not notify clients, so those that wait ask again and again.
public final class MemcachedCoordinator: FlightCoordinator {
  private static let shortestPause = Duration.milliseconds(10)
  private static let longestPause = Duration.milliseconds(200)

  private let store: MemcachedStore
  private let shared: any SharedStore
  private let lease: Int
  private let answerTime: Duration
  private let clock = SystemClock()

  /// Creates a coordinator that uses the servers of `store`.
  ///
  /// If results are in a composed store, pass that as `shared`; the coordinator looks for them there. A process that
  /// dies keeps its claims for `lease` seconds at most. If the server does not answer within 0.1 seconds, work is done
  /// without a claim.
  public convenience init(_ store: MemcachedStore, lookingIn shared: (any SharedStore)? = nil, lease: Int = 3) {
    self.init(store, lookingIn: shared, lease: lease, answerTime: .milliseconds(100))
  }

  /// Creates a coordinator with another time limit for answers of the server, after which work is done without a claim.
  public init(
    _ store: MemcachedStore, lookingIn shared: (any SharedStore)? = nil, lease: Int = 3, answerTime: Duration
  ) {
    self.store = store
    self.shared = shared ?? store
    // The clock of memcached ticks once a second.
    self.lease = max(2, lease)
    self.answerTime = answerTime
  }

  /// Claims work, or waits for the process that has claimed it.
  public func claim(_ key: FlightKey, within limit: Duration) async -> FlightKey.Answer {
    guard key.key.isStorable else { return .goAhead }
    let deadline = clock.uptime + limit.bounded
    var pause = Self.shortestPause
    do {
      while !Task.isCancelled {
        if let answer = try await ask(key) { return answer }
        guard clock.uptime < deadline else { return .goAhead }
        try await clock.sleep(for: min(pause, deadline - clock.uptime))
        pause = min(pause * 2, Self.longestPause)
      }
    } catch {}
    return .goAhead
  }

  /// Asks once; returns nil while another process works.
  private func ask(_ key: FlightKey) async throws -> FlightKey.Answer? {
    let (store, shared, lease) = (store, shared, lease)
    let (claim, reply) = try await soon(unclaimed: { won, _ in Task.detached { await won?.end(.abandoned) } }) {
      // Only the reply tells whether the claim was won, so this task is not cancelled when the caller leaves.
      try await Task {
        let place = try await store.place(of: key.key)
        let reply = try await place.server.send("mg", place.claim(of: key.kind), "v c N\(lease)")
        return (MemcachedClaim(wonBy: reply, at: place, for: key, lease: lease), reply)
      }.value
    }
    if let claim {
      // Another process may have done the work between the lookup and this claim.
      guard let entry = try? await soon({ try await shared.entry(for: key.key) }) else { return .yours(claim) }
      await claim.end(.stored)
      return .ready(entry)
    }
    if let text = reply.value, !text.isEmpty {
      return FailureCoding.error(in: String(decoding: text, as: UTF8.self), about: key.key).map { .failed($0) }
    }
    return try await soon { try await shared.entry(for: key.key) }.map { .ready($0) }
  }

  /// Waits a short time for an answer of the server.
  private func soon<Value: Sendable>(
    unclaimed: @escaping @Sendable (Value) -> Void = { _ in },
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let answerTime = answerTime
    return try await Timeout.wait(
      atMost: answerTime, by: clock,
      failure: { ImageError(.timedOut, "memcached did not answer within \(answerTime).") },
      unclaimed: unclaimed, for: body)
  }
}

/// A claim that this process holds; its lease is extended until it ends.
private final class MemcachedClaim: FlightClaim {
  /// The longest time for which a claim is kept alive, in case its work never ends.
  private static let longestLife = Duration.seconds(120)
  /// The seconds for which processes that ask are told of a failure.
  private static let failureLife = 5

  private let server: MemcachedServer
  private let name: String
  private let tag: String
  private let extending: Task<Void, Never>

  /// Returns nil if the reply says that another process has the claim.
  init?(wonBy reply: MemcachedReply, at place: MemcachedStore.Place, for key: FlightKey, lease: Int) {
    guard reply.has("W"), let tag = reply["c"] else { return nil }
    let name = place.claim(of: key.kind)
    (server, self.name, self.tag) = (place.server, name, tag)
    extending = Task.detached { [server = place.server] in
      let clock = SystemClock()
      let end = clock.uptime + Self.longestLife
      while clock.uptime < end, (try? await clock.sleep(for: .seconds(1))) != nil {
        // Another process now has the lease.
        if let reply = try? await server.send("mg", name, "c T\(lease)"), reply["c"] != tag { return }
      }
    }
  }

  deinit { extending.cancel() }

  func end(_ outcome: FlightKey.Result) async {
    extending.cancel()
    // If this message does not arrive, the lease soon ends the claim.
    if case .failed(let error) = outcome, let text = FailureCoding.text(of: error, message: error.message) {
      _ = try? await server.send("ms", name, "C\(tag) T\(Self.failureLife)", value: Array(text.utf8))
    } else {
      _ = try? await server.send("md", name, "C\(tag)")
    }
  }
}
