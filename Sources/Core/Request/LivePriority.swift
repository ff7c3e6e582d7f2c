/// The priority of work under way, which rises and falls with those who wait for it.
public final class LivePriority: Sendable {
  private struct State {
    var value: LoadPriority
    var observers: [@Sendable (LoadPriority) -> Void] = []
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
    state.withLock { $0.observers.append(observer) }
    notify(observer)
  }

  package func set(_ value: LoadPriority) {
    let observers = state.withLock { state -> [@Sendable (LoadPriority) -> Void] in
      guard state.value != value else { return [] }
      state.value = value
      return state.observers
    }
    for observer in observers { notify(observer) }
  }

  /// Repeated until the value told is still the value: two changes at once must not leave anyone with the older.
  private func notify(_ observer: @Sendable (LoadPriority) -> Void) {
    var told: LoadPriority
    repeat {
      told = value
      observer(told)
    } while told != value
  }
}
