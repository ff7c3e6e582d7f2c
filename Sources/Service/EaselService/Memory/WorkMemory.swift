import EaselCore
import EaselSupport

/// Bounds the memory of the work that runs at a time.
///
/// Work reserves what it is estimated to take, and waits while others hold too much; the first to come is the first
/// served. Work that would not fit if it were alone is refused at once. What is too large to share waits until it is alone.
/// Waiting holds no thread.
package final class WorkMemory: Sendable {
  private struct State {
    var budget: Int
    var sharedBytes: Int
    var reserved = 0
    var running = 0
    var waiters: [MemoryWaiter] = []
    var pressure = MemoryPressure.none
    var activity = 0
    /// The waiters about whom was just decided.
    var woken: [MemoryWaiter] = []
  }

  private let state: Locked<State>

  /// Creates a bound for all work.
  ///
  /// `sharedBytes` are the most that several pieces of work take together, while one alone may take the whole budget.
  package init(budget: Int = .max, sharedBytes: Int = .max) {
    state = Locked(State(budget: max(1, budget), sharedBytes: max(1, sharedBytes)))
  }

  // MARK: What watchers see and do

  /// The most bytes of all work together; `Int.max` for no limit.
  package var budget: Int {
    get { state.withLock { $0.budget } }
    set { change { $0.budget = max(1, newValue) } }
  }

  /// The most bytes of several pieces of work together; `Int.max` if only the budget bounds them.
  package var sharedBytes: Int {
    get { state.withLock { $0.sharedBytes } }
    set { change { $0.sharedBytes = max(1, newValue) } }
  }

  /// The bytes that work has reserved.
  package var reservedBytes: Int { state.withLock { $0.reserved } }

  /// The number of pieces of work that wait for memory.
  package var waiting: Int { state.withLock { $0.waiters.count } }

  /// A number that changes with every request and with every piece of work that begins or ends.
  package var activity: Int { state.withLock { $0.activity } }

  /// The lack of memory that somebody has told; under ``MemoryPressure/tight`` only half is used.
  package var pressure: MemoryPressure {
    get { state.withLock { $0.pressure } }
    set { change { $0.pressure = newValue } }
  }

  // MARK: Requests and work

  /// Throws if no request that needs work may begin.
  package func beginRequest() throws(MemoryRefusal) {
    let isRefused = state.withLock { state in
      state.activity &+= 1
      return state.pressure == .full
    }
    if isRefused { throw MemoryRefusal.tooLittleNow }
  }

  /// Throws if work would not fit, whatever else runs.
  package func check(_ footprint: WorkFootprint) throws(MemoryRefusal) {
    let budget = budget
    if footprint.bytes > budget { throw .neverFits(footprint.bytes, budget: budget) }
  }

  /// Waits until there is memory for the work.
  ///
  /// Throws ``MemoryRefusal``, or `CancellationError` as soon as the task is cancelled.
  package func reserve(_ footprint: WorkFootprint) async throws -> MemoryReservation {
    try Task.checkCancellation()
    try check(footprint)
    let waiter = MemoryWaiter(footprint.bytes)
    change { $0.waiters.append(waiter) }
    await state.untilDecided(waiter) {
      change { state in
        guard let place = state.waiters.firstIndex(where: { $0 === waiter }) else { return }
        state.waiters.remove(at: place)
        waiter.outcome = .withdrawn
        state.woken.append(waiter)
      }
    }
    // Read under the lock, because ThreadSanitizer does not see a value passed through the continuation.
    guard state.withLock({ _ in waiter.outcome }) == .admitted else { throw CancellationError() }
    return MemoryReservation(footprint.bytes, of: self)
  }

  fileprivate func giveBack(_ bytes: Int) {
    change { state in
      state.reserved -= bytes
      state.running -= 1
    }
  }

  /// Changes the state, lets in whoever fits then, and wakes those about whom was decided.
  private func change(_ body: (inout State) -> Void) {
    let woken = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
      body(&state)
      state.activity &+= 1
      while let next = state.waiters.first, fits(next.bytes, state) {
        state.waiters.removeFirst()
        state.reserved += next.bytes
        state.running += 1
        next.outcome = .admitted
        state.woken.append(next)
      }
      defer { state.woken = [] }
      return state.woken.compactMap { waiter in
        defer { waiter.continuation = nil }
        return waiter.continuation
      }
    }
    for continuation in woken { continuation.resume() }
  }

  private func fits(_ bytes: Int, _ state: State) -> Bool {
    // One piece may always run, or nothing would ever change.
    guard state.running > 0 else { return true }
    let together = min(state.budget, state.sharedBytes)
    let most = state.pressure == .none ? together : together / 2
    return bytes <= most && state.reserved <= most - bytes
  }
}

/// A lack of memory.
package enum MemoryPressure: Int, Comparable, Sendable {
  case none
  /// Caches and the number of pieces of work shrink.
  case tight
  /// Requests that need work are refused.
  case full

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Memory reserved for a piece of work, until it is given back or released.
package final class MemoryReservation: Sendable {
  private let memory: WorkMemory
  private let bytes: Locked<Int?>

  fileprivate init(_ bytes: Int, of memory: WorkMemory) {
    self.memory = memory
    self.bytes = Locked(bytes)
  }

  deinit { giveBack() }

  /// Gives the memory back; further calls do nothing.
  package func giveBack() {
    if let bytes = bytes.withLock({ $0.take() }) { memory.giveBack(bytes) }
  }
}

private enum MemoryOutcome { case admitted, withdrawn }

/// A piece of work that waits for memory, used only under the lock of its ``WorkMemory``.
private final class MemoryWaiter: WaitingWork<MemoryOutcome>, @unchecked Sendable {
  let bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }
}
