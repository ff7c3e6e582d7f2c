/// The priority of work under way, which rises and falls with those who wait for it.
public final class LivePriority: Sendable {
  private struct State {
    var value: LoadPriority
    var observers: [UInt64: Observer] = [:]
    var lastID: UInt64 = 0
    var countAtWhichToTidy = 16
  }

  private struct Observer {
    /// Nil when there is nobody left to tell.
    let call: @Sendable () -> (@Sendable (LoadPriority) -> Void)?
    var told: LoadPriority?
    // Whoever tells an observer goes on until it has heard the newest; two at once could end with the older.
    var isBeingTold = true
  }

  private let state: Locked<State>
  /// When the load began that the work is for, by which queues go within a priority.
  ///
  /// Nil for work that takes its turn when it comes to a queue.
  package let turn: UInt64?

  /// Creates a priority.
  public convenience init(_ value: LoadPriority = .normal) { self.init(value, turn: nil) }

  package init(_ value: LoadPriority = .normal, turn: UInt64?) {
    self.turn = turn
    state = Locked(State(value: value))
  }

  /// The priority now.
  public var value: LoadPriority { state.withLock { $0.value } }

  /// Calls `observer` at once with the priority now and again after each change.
  ///
  /// Observers must be quick; a change that comes while they run may reach them only as the newest value.
  public func onChange(_ observer: @escaping @Sendable (LoadPriority) -> Void) {
    add { observer }
  }

  /// The same for as long as `target` lives.
  package func onChange<Target: AnyObject & Sendable>(
    for target: Target, _ observer: @escaping @Sendable (Target, LoadPriority) -> Void
  ) {
    add { [weak target] in
      guard let target else { return nil }
      return { observer(target, $0) }
    }
  }

  package func set(_ value: LoadPriority) {
    let waiting = state.withLock { state -> [UInt64] in
      guard state.value != value else { return [] }
      state.value = value
      let waiting = state.observers.filter { !$0.value.isBeingTold }.keys.sorted()
      for id in waiting { state.observers[id]!.isBeingTold = true }
      return waiting
    }
    for id in waiting { tell(id) }
  }

  private func add(_ call: @escaping @Sendable () -> (@Sendable (LoadPriority) -> Void)?) {
    let (id, mustTidy) = state.withLock { state in
      state.lastID += 1
      state.observers[state.lastID] = Observer(call: call)
      return (state.lastID, state.observers.count >= state.countAtWhichToTidy)
    }
    if mustTidy { tidy() }
    tell(id)
  }

  /// Forgets observers that are gone, so that a priority that lives for long does not collect them.
  private func tidy() {
    let all = state.withLock { $0.observers }
    // Looked at outside the lock, for a target may find its end here.
    let gone = all.filter { $0.value.call() == nil }.map(\.key)
    state.withLock { state in
      for id in gone { state.observers[id] = nil }
      state.countAtWhichToTidy = max(16, state.observers.count * 2)
    }
  }

  private func tell(_ id: UInt64) {
    while let (call, value) = news(for: id) { call()?(value) }
  }

  private func news(
    for id: UInt64
  ) -> (@Sendable () -> (@Sendable (LoadPriority) -> Void)?, LoadPriority)? {
    state.withLock { state in
      guard let observer = state.observers[id] else { return nil }
      guard observer.told != state.value else {
        state.observers[id]!.isBeingTold = false
        return nil
      }
      state.observers[id]!.told = state.value
      return (observer.call, state.value)
    }
  }
}
