/// The priority of work under way, which rises and falls with those who wait for it.
public final class LivePriority: Sendable {
  private struct State {
    var value: LoadPriority
    var observers: [Observer] = []
  }

  private struct Observer {
    let call: @Sendable (LoadPriority) -> Void
    var told: LoadPriority?
    // Whoever tells an observer goes on until it has heard the newest; two at once could end with the older.
    var isBeingTold = true
  }

  private let state: Locked<State>

  /// Creates a priority.
  public init(_ value: LoadPriority = .normal) {
    state = Locked(State(value: value))
  }

  /// The priority now.
  public var value: LoadPriority { state.withLock { $0.value } }

  /// Calls `observer` at once with the priority now and again after each change.
  ///
  /// Observers must be quick; a change that comes while they run may reach them only as the newest value.
  public func onChange(_ observer: @escaping @Sendable (LoadPriority) -> Void) {
    let index = state.withLock { state in
      state.observers.append(Observer(call: observer))
      return state.observers.count - 1
    }
    tell(index)
  }

  package func set(_ value: LoadPriority) {
    let waiting = state.withLock { state -> [Int] in
      guard state.value != value else { return [] }
      state.value = value
      let waiting = state.observers.indices.filter { !state.observers[$0].isBeingTold }
      for index in waiting { state.observers[index].isBeingTold = true }
      return waiting
    }
    for index in waiting { tell(index) }
  }

  private func tell(_ index: Int) {
    while let (call, value) = news(for: index) { call(value) }
  }

  private func news(for index: Int) -> (@Sendable (LoadPriority) -> Void, LoadPriority)? {
    state.withLock { state in
      guard state.observers[index].told != state.value else {
        state.observers[index].isBeingTold = false
        return nil
      }
      state.observers[index].told = state.value
      return (state.observers[index].call, state.value)
    }
  }
}
