/// A gate that, while closed, suspends every arriving task until the gate opens or the task is cancelled.
public final class AsyncGate: Sendable {
  private let state: Watched<GateState>

  /// Begins open or closed.
  public init(isOpen: Bool = false) { state = Watched(GateState(isOpen: isOpen)) }

  /// True when every task may pass.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The number of tasks that wait at the gate.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Lets waiting and future tasks pass.
  public func open() { state.withLock { $0.open() } }

  /// Suspends tasks that arrive from now on.
  public func close() { state.withLock { $0.close() } }

  /// Lets the next `count` tasks pass, beginning with those that have waited longest.
  public func letThrough(_ count: Int = 1) { state.withLock { $0.letThrough(count) } }

  /// Passes the gate; throws `CancellationError` if the task is cancelled first.
  public func pass() async throws {
    try Task.checkCancellation()
    guard let number = state.withLock({ $0.arrive() }) else { return }
    await state.wait { !$0.waiting.contains(number) }
    state.withLock { $0.leave(number) }
    try Task.checkCancellation()
  }

  /// Suspends until this many tasks wait at the gate.
  public func waitForWaiters(count: Int = 1) async { await state.wait { $0.waiting.count >= count } }
}
