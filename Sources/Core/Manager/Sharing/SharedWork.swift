import Synchronization

/// Single flight with manners: many callers, one run.
///
/// Everyone who asks for the same key while it is worked on gets the one result. The run is as urgent as the most
/// urgent of those who wait; who cancels is answered at once and leaves; when the last one leaves, the run is
/// cancelled. Attaching and starting are one decision under one lock, and a run that is over takes nobody in, so that
/// nobody is lost in between.
///
/// A finished value stays joinable until everyone has let go of what they hold of it.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// A seat that was taken; whoever took it waits for its value or gives it up.
  struct Place: Sendable {
    let run: Run
    fileprivate let seat: Seat<Value>
  }

  private let runs = Locked<[Key: Run]>([:])

  /// The number of runs that can be joined.
  var count: Int { runs.withLock { $0.count } }

  /// The number of those who wait in all runs.
  var waitingCount: Int { runs.withLock { Array($0.values) }.reduce(0) { $0 + $1.waitingCount } }

  /// Joins the run of `key`, or starts it, and waits for its value.
  func value(
    for key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Value {
    if Task.isCancelled { seat.cancel() }
    sit(at: seat, key) { start }
    return try await value(at: seat)
  }

  /// Joins the run of `key`, or starts it, at once; the value is waited for later, by whatever task.
  ///
  /// Only where a run is started is `start` asked, before this returns, for what the run does. Returns whether one was.
  @discardableResult
  func sit(
    at seat: Seat<Value>, _ key: Key, _ start: () -> @Sendable (SharedRun) async throws -> Value
  ) -> Bool {
    join(key, seat, holds: false, start).isNew
  }

  /// Waits for the value at a seat that was taken before.
  func value(at seat: Seat<Value>) async throws -> Value {
    try await withTaskCancellationHandler {
      try await seat.wait()
    } onCancel: {
      seat.cancel()
    }
  }

  /// The same, and keeps the value joinable until it is released.
  func hold(
    _ key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Held<Value> {
    try await held(by: join(key, seat: seat, start: start))
  }

  /// Joins the run of `key`, or starts it, at once and without waiting: whatever is told from now on reaches the seat.
  func join(
    _ key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) -> Place {
    if Task.isCancelled { seat.cancel() }
    return Place(run: join(key, seat, holds: true) { start }.run, seat: seat)
  }

  /// Joins this very run and no other of the same key, also when it is over: then its result is there at once.
  func join(_ run: Run, seat: Seat<Value>) -> Place {
    if run.waits(for: seat) {
      seat.fail(with: .waitsForItself())
    } else {
      run.settle(seat, run.enter(seat, holds: true) ?? .answered(run.lastOutcome, holds: false))
    }
    return Place(run: run, seat: seat)
  }

  /// Waits for the value, and keeps it joinable until it is released.
  func held(by place: Place) async throws -> Held<Value> {
    let value = try await withTaskCancellationHandler {
      try await place.seat.wait()
    } onCancel: {
      place.seat.cancel()
    }
    return Held(value) { place.run.letGo() }
  }

  /// Leaves a place; nothing happens when someone has waited at it.
  func giveUp(_ place: Place) {
    if place.seat.giveUp() { place.run.letGo() }
  }

  private func join(
    _ key: Key, _ seat: Seat<Value>, holds: Bool,
    _ start: () -> @Sendable (SharedRun) async throws -> Value
  ) -> (run: Run, isNew: Bool) {
    // Whoever gave up already starts nothing.
    if seat.isAnswered { return (Run(key, of: self, startedBy: seat), false) }
    let (run, entry, isNew) = runs.withLock { runs -> (Run, Run.Entry?, Bool) in
      if let run = runs[key] {
        if run.waits(for: seat) { return (run, nil, false) }
        if let entry = run.enter(seat, holds: holds) { return (run, entry, false) }
      }
      let run = Run(key, of: self, startedBy: seat)
      runs[key] = run
      return (run, run.enter(seat, holds: holds)!, true)
    }
    guard let entry else {
      seat.fail(with: .waitsForItself())
      return (run, false)
    }
    run.settle(seat, entry)
    if isNew { run.begin(start()) }
    return (run, isNew)
  }

  /// Lets nobody join the runs of these keys any more; who waits in one is answered by it.
  func forgetAll(where isMeant: (Key) -> Bool) {
    runs.withLock { runs in
      for key in runs.keys where isMeant(key) { runs[key] = nil }
    }
  }

  /// Forgets a run that takes nobody in any more.
  func forget(_ run: Run) {
    runs.withLock { runs in
      if runs[run.key] === run { runs[run.key] = nil }
    }
  }
}

/// A value of a run that stays joinable while someone holds it.
final class Held<Value: Sendable>: Sendable {
  let value: Value
  private let whenReleased: @Sendable () -> Void
  private let isReleased = Atomic(false)

  init(_ value: Value, whenReleased: @escaping @Sendable () -> Void) {
    self.value = value
    self.whenReleased = whenReleased
  }

  deinit { release() }

  func release() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { whenReleased() }
  }
}
