import EaselCore
import EaselSupport
import FoundationEssentials

/// A clock that moves only when a test moves it.
public final class ManualClock: ImageClock {
  private struct Sleeper {
    let id: UInt64
    let deadline: Duration
    let wake: @Sendable () -> Void
  }

  private struct State {
    var start: Date
    var uptime = Duration.zero
    var sleepers: [Sleeper] = []
    var lastID: UInt64 = 0

    mutating func takeDue() -> [Sleeper] {
      let due = sleepers.filter { $0.deadline <= uptime }
      sleepers.removeAll { $0.deadline <= uptime }
      return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
    }
  }

  private let state: Watched<State>

  /// Creates a clock that shows `date` and an uptime of zero.
  public init(date: Date = Date(timeIntervalSince1970: 1_000_000_000)) {
    state = Watched(State(start: date))
  }

  /// The time of day, which moves with the uptime.
  public var date: Date {
    state.withLock { state in
      let (seconds, attoseconds) = state.uptime.components
      return state.start.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }
  }

  /// The total time by which the clock was moved.
  public var uptime: Duration { state.withLock { $0.uptime } }

  /// The number of tasks and threads that wait for the clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The remaining waits, shortest first.
  public var remainingSleeps: [Duration] {
    state.withLock { state in state.sleepers.map { $0.deadline - state.uptime }.sorted() }
  }

  /// Moves the clock and wakes the sleepers whose deadline has passed, earliest first.
  ///
  /// A task that sleeps again counts from the new time.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.uptime += duration
      return state.takeDue()
    }
    for sleeper in due { sleeper.wake() }
  }

  /// Moves the clock to the earliest deadline and wakes its sleepers; returns the distance, or nil without sleepers.
  @discardableResult
  public func advanceToNextDeadline() -> Duration? {
    guard let next = remainingSleeps.first else { return nil }
    advance(by: next)
    return next
  }

  /// Sets the time of day without changing the uptime, as a person or a time server does.
  public func jump(to date: Date) {
    state.withLock { state in
      let (seconds, attoseconds) = state.uptime.components
      state.start = date.addingTimeInterval(-Double(seconds) - Double(attoseconds) * 1e-18)
    }
  }

  /// Suspends until the clock was moved this far; throws `CancellationError` if the task is cancelled first.
  public func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    let id = newID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        add(id, duration) { continuation.resume() }
        if Task.isCancelled { withdraw(id) }
      }
    } onCancel: {
      withdraw(id)
    }
    try Task.checkCancellation()
  }

  /// Blocks the calling thread until the clock was moved this far.
  public func block(for duration: Duration) {
    guard duration > .zero else { return }
    let signal = Semaphore()
    add(newID(), duration) { signal.signal() }
    signal.wait()
  }

  /// Suspends until at least this many tasks and threads wait for the clock.
  public func waitForSleepers(count: Int = 1) async { await state.wait { $0.sleepers.count >= count } }

  private func newID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  private func add(_ id: UInt64, _ duration: Duration, _ wake: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.sleepers.append(Sleeper(id: id, deadline: state.uptime + duration.bounded, wake: wake))
    }
  }

  private func withdraw(_ id: UInt64) {
    let sleeper = state.withLock { state in
      state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
    }
    sleeper?.wake()
  }
}
