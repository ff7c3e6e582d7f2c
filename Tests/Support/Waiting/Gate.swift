import EaselCore

/// A gate on the way of threads: closed, it blocks whoever comes until it is opened.
public final class Gate: Sendable {
  private let state: Watched<GateState>

  /// Creates a gate.
  public init(isOpen: Bool = false) { state = Watched(GateState(isOpen: isOpen)) }

  /// Whether everyone may pass.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The number of threads that wait at the gate.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Lets everyone pass, those who wait and those who come.
  public func open() { state.withLock { $0.open() } }

  /// Stops whoever comes from now on.
  public func close() { state.withLock { $0.close() } }

  /// Lets the next `count` pass, first those who wait, the earliest first.
  public func letThrough(_ count: Int = 1) { state.withLock { $0.letThrough(count) } }

  /// Passes the gate; it blocks the thread, so never call it from a task.
  public func pass() {
    guard let number = state.withLock({ $0.arrive() }) else { return }
    state.block { !$0.waiting.contains(number) }
  }

  /// Passes the gate, or throws as soon as nobody wants the work any more.
  public func pass(_ work: WorkContext) throws {
    try work.checkCancellation()
    guard let number = state.withLock({ $0.arrive() }) else { return }
    defer { state.withLock { $0.leave(number) } }
    try state.block(until: { !$0.waiting.contains(number) }, check: { try work.checkCancellation() })
  }

  /// Suspends until this many threads wait at the gate.
  public func waitForWaiters(count: Int = 1) async { await state.wait { $0.waiting.count >= count } }
}
