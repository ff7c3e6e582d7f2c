import EaselCore

/// A coordinator in the memory of one process, for tests of several managers in it.
///
/// Each manager gets a ``Node`` of its own, which a test can kill: its claims then end with their leases, as those of a
/// process that died.
public final class InMemoryCoordinator: Sendable {
  private struct Lease {
    let token: UInt64
    let end: Duration
    let node: UInt64
    var waitingCount = 0
  }

  private struct State {
    var lastToken: UInt64 = 0
    var leases: [FlightKey: Lease] = [:]
    /// The outcomes that some who waited have not read yet, and how many these are.
    var outcomes: [UInt64: (result: FlightKey.Result, readers: Int)] = [:]
    var grants: [FlightKey: Int] = [:]
    var dead: Set<UInt64> = []

    /// Reads the outcome of a lease; nil if it just ran out.
    mutating func takeOutcome(_ token: UInt64) -> FlightKey.Result? {
      guard var outcome = outcomes[token] else { return nil }
      outcome.readers -= 1
      outcomes[token] = outcome.readers > 0 ? outcome : nil
      return outcome.result
    }
  }

  private let store: any SharedStore
  private let clock: any ImageClock
  private let lease: Duration
  private let state = Watched(State())

  /// Creates a coordinator for managers that use `store`; a lease ends after `lease` unless its claim ends before.
  public init(store: any SharedStore, clock: any ImageClock = SystemClock(), lease: Duration = .seconds(10)) {
    self.store = store
    self.clock = clock
    self.lease = lease
  }

  /// The number of claims that were granted, by what was claimed.
  public var grants: [FlightKey: Int] { state.withLock { $0.grants } }

  /// The number of claims that have not ended.
  public var heldCount: Int { state.withLock { $0.leases.count } }

  /// The number of tasks that wait for claims of others.
  public var waitingCount: Int { state.withLock { $0.leases.values.reduce(0) { $0 + $1.waitingCount } } }

  /// Suspends until this many tasks wait for claims of others.
  public func waitForWaiters(count: Int = 1) async {
    await state.wait { $0.leases.values.reduce(0) { $0 + $1.waitingCount } >= count }
  }

  /// Suspends until no claim is held.
  public func waitUntilIdle() async { await state.wait { $0.leases.isEmpty } }

  /// Creates the coordinator of one process.
  public func node() -> Node {
    Node(
      state.withLock { state in
        state.lastToken += 1
        return state.lastToken
      }, of: self)
  }

  /// The coordinator of one process.
  public final class Node: FlightCoordinator {
    private let number: UInt64
    private let coordinator: InMemoryCoordinator

    fileprivate init(_ number: UInt64, of coordinator: InMemoryCoordinator) {
      self.number = number
      self.coordinator = coordinator
    }

    /// Makes the process die as far as others can see: its claims end only with their leases.
    public func kill() { _ = coordinator.state.withLock { $0.dead.insert(number) } }

    /// Claims work, or waits for the process that has claimed it.
    public func claim(_ key: FlightKey, within limit: Duration) async -> FlightKey.Answer {
      await coordinator.claim(key, within: limit, by: number)
    }
  }

  private enum Turn {
    case granted(token: UInt64)
    case wait(token: UInt64, end: Duration)
  }

  private func claim(_ key: FlightKey, within limit: Duration, by node: UInt64) async -> FlightKey.Answer {
    let deadline = clock.uptime + limit
    while !Task.isCancelled {
      switch take(key, node) {
      case .granted(let token): return .yours(Claim(key, token, of: self))
      case .wait(let token, let end):
        guard deadline > clock.uptime else { return .goAhead }
        await wait(for: token, of: key, until: min(deadline, end))
        switch stopWaiting(for: token, of: key) {
        case .stored?: return (try? await store.entry(for: key.key)).map { .ready($0) } ?? .goAhead
        case .failed(let error)?: return .failed(error)
        case .abandoned?: break
        case nil: if clock.uptime >= deadline { return .goAhead }
        }
      }
    }
    return .goAhead
  }

  private func take(_ key: FlightKey, _ node: UInt64) -> Turn {
    let now = clock.uptime
    return state.withLock { state in
      if let held = state.leases[key], held.end > now {
        state.leases[key]!.waitingCount += 1
        return .wait(token: held.token, end: held.end)
      }
      state.lastToken += 1
      state.leases[key] = Lease(token: state.lastToken, end: now + lease, node: node)
      state.grants[key, default: 0] += 1
      return .granted(token: state.lastToken)
    }
  }

  /// Waits until a lease ends, at most until `time`.
  private func wait(for token: UInt64, of key: FlightKey, until time: Duration) async {
    let (state, clock) = (state, clock)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await state.wait { $0.leases[key]?.token != token } }
      group.addTask { try? await clock.sleep(for: time - clock.uptime) }
      await group.next()
      group.cancelAll()
    }
  }

  private func stopWaiting(for token: UInt64, of key: FlightKey) -> FlightKey.Result? {
    state.withLock { state in
      if state.leases[key]?.token == token { state.leases[key]!.waitingCount -= 1 }
      return state.takeOutcome(token)
    }
  }

  fileprivate func end(_ key: FlightKey, _ token: UInt64, _ result: FlightKey.Result) {
    state.withLock { state in
      guard let held = state.leases[key], held.token == token, !state.dead.contains(held.node) else { return }
      state.leases[key] = nil
      if held.waitingCount > 0 { state.outcomes[token] = (result, held.waitingCount) }
    }
  }

  private struct Claim: FlightClaim {
    private let key: FlightKey
    private let token: UInt64
    private let coordinator: InMemoryCoordinator

    init(_ key: FlightKey, _ token: UInt64, of coordinator: InMemoryCoordinator) {
      self.key = key
      self.token = token
      self.coordinator = coordinator
    }

    func end(_ outcome: FlightKey.Result) async { coordinator.end(key, token, outcome) }
  }
}
