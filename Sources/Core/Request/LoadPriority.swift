import EaselSupport
import Synchronization

/// The priority of a load.
public enum LoadPriority: Int, Comparable, Hashable, Sendable, CaseIterable {
  /// Runs when no other work waits.
  case veryLow
  /// Runs after loads of normal priority.
  case low
  /// The default.
  case normal
  /// Runs before loads of normal priority.
  case high
  /// Runs before all others.
  case veryHigh

  /// Compares two priorities.
  public static func < (left: LoadPriority, right: LoadPriority) -> Bool { left.rawValue < right.rawValue }
}

extension LoadPriority {
  /// The priority of running work, which can change while the work runs.
  public final class Live: Sendable {
    private struct State {
      var value: LoadPriority
      var observers: [UInt64: Observer] = [:]
      var lastID: UInt64 = 0
      var nextTidyCount = 16
    }

    private struct Observer {
      /// Returns nil when the observing object is gone.
      let call: @Sendable () -> (@Sendable (LoadPriority) -> Void)?
      var told: LoadPriority?
      // Only one thread at a time notifies an observer, and repeats this until the observer has the newest value. Two
      // threads at once could deliver the older value last.
      var isBeingTold = true
    }

    private let state: Locked<State>
    /// The turn of the load to which the work belongs.
    ///
    /// Within a priority, queues serve the earliest turn first.
    ///
    /// Nil for work that gets its turn when it reaches a queue.
    package let turn: UInt64?

    /// Creates a priority that can change while the load runs.
    public convenience init(_ value: LoadPriority = .normal) { self.init(value, turn: nil) }

    package init(_ value: LoadPriority = .normal, turn: UInt64?) {
      self.turn = turn
      state = Locked(State(value: value))
    }

    /// The current priority.
    public var value: LoadPriority { state.withLock { $0.value } }

    /// Calls `observer` immediately with the current priority, and again after each change.
    ///
    /// Observers must be quick. If several changes come while an observer runs, it may receive only the newest value.
    public func onChange(_ observer: @escaping @Sendable (LoadPriority) -> Void) {
      add { observer }
    }

    /// Calls `observer` like ``onChange(_:)``, as long as `target` lives.
    package func onChange<Target: AnyObject & Sendable>(
      for target: Target, _ observer: @escaping @Sendable (Target, LoadPriority) -> Void
    ) {
      add { [weak target] in
        guard let target else { return nil }
        return { observer(target, $0) }
      }
    }

    package func set(_ value: LoadPriority) { set { value } }

    /// Sets the priority to the value that `newest` computes.
    ///
    /// The priority is locked while `newest` runs, so that an older value never replaces a newer one. Nil changes
    /// nothing.
    package func set(_ newest: () -> LoadPriority?) {
      let waiting = state.withLock { state -> [UInt64] in
        guard let value = newest(), state.value != value else { return [] }
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
        return (state.lastID, state.observers.count >= state.nextTidyCount)
      }
      if mustTidy { tidy() }
      tell(id)
    }

    /// Removes observers whose target is gone, because they would pile up if the priority lives long.
    private func tidy() {
      let all = state.withLock { $0.observers }
      // The check runs outside the lock, because it may release the last reference to a target.
      let gone = all.filter { $0.value.call() == nil }.map(\.key)
      state.withLock { state in
        for id in gone { state.observers[id] = nil }
        state.nextTidyCount = max(16, state.observers.count * 2)
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
}

/// Numbers loads and other work in the process by their start: earlier work has a lower number.
package enum StartNumber {
  private static let last = Atomic<UInt64>(0)

  package static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
