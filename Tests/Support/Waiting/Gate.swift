import EaselCore

/// A gate that, while closed, blocks every arriving thread until the gate opens.
public final class Gate: Sendable {
  private let state: Watched<GateState>

  /// Begins open or closed.
  public init(isOpen: Bool = false) { state = Watched(GateState(isOpen: isOpen)) }

  /// True when every thread may pass.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The number of threads that wait at the gate.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Lets waiting and future threads pass.
  public func open() { state.withLock { $0.open() } }

  /// Blocks threads that arrive from now on.
  public func close() { state.withLock { $0.close() } }

  /// Lets the next `count` threads pass, beginning with those that have waited longest.
  public func letThrough(_ count: Int = 1) { state.withLock { $0.letThrough(count) } }

  /// Passes the gate; it blocks the thread, so never call it from a task.
  public func pass() {
    guard let number = state.withLock({ $0.arrive() }) else { return }
    state.block { !$0.waiting.contains(number) }
  }

  /// Passes the gate; throws as soon as the work is cancelled.
  public func pass(_ work: WorkContext) throws {
    try work.checkCancellation()
    guard let number = state.withLock({ $0.arrive() }) else { return }
    defer { state.withLock { $0.leave(number) } }
    try state.block(until: { !$0.waiting.contains(number) }, check: { try work.checkCancellation() })
  }

  /// Suspends until this many threads wait at the gate.
  public func waitForWaiters(count: Int = 1) async { await state.wait { $0.waiting.count >= count } }
}
