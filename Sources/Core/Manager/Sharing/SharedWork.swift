import Synchronization

/// Shares work between callers: everyone who asks for the same key while it is being worked on gets one result.
///
/// A run has the highest priority of everyone who waits for it. A caller that cancels is answered immediately and
/// leaves, and the run is cancelled when the last caller leaves. Joining and starting are one decision under one lock,
/// and a run that is over takes no more callers, so no caller is lost in between.
///
/// A finished value can be joined until everyone has released it.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// A seat in a run.
  ///
  /// Its owner waits for the value or gives the place up.
  struct Place: Sendable {
    let run: Run
    fileprivate let seat: Seat<Value>
  }

  private let runs = Locked<[Key: Run]>([:])

  /// The number of runs that can be joined.
  var count: Int { runs.withLock { $0.count } }

  /// The number of callers that wait in all runs.
  var waitingCount: Int { runs.withLock { Array($0.values) }.reduce(0) { $0 + $1.waitingCount } }

  /// Joins the run of `key`, or starts it, and waits for its value.
  func value(
    for key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Value {
    if Task.isCancelled { seat.cancel() }
    sit(at: seat, key) { start }
    return try await value(at: seat)
  }

  /// Joins the run of `key`, or starts it, without waiting.
  ///
  /// Any task can wait for the value later.
  ///
  /// `start` is called before this returns, and only to start a new run; it returns the work of the run.
  func sit(at seat: Seat<Value>, _ key: Key, _ start: () -> @Sendable (SharedRun) async throws -> Value) {
    _ = join(key, seat, holds: false, start)
  }

  /// Waits for the value of a seat that was taken before.
  func value(at seat: Seat<Value>) async throws -> Value {
    try await withTaskCancellationHandler {
      try await seat.wait()
    } onCancel: {
      seat.cancel()
    }
  }

  /// Joins the run of `key`, or starts it, without waiting.
  ///
  /// The seat receives all events from now on.
  func join(
    _ key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) -> Place {
    if Task.isCancelled { seat.cancel() }
    return Place(run: join(key, seat, holds: true) { start }, seat: seat)
  }

  /// Joins exactly this run and no other of the same key.
  ///
  /// If the run has ended, its result is there immediately.
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

  /// Leaves a place.
  ///
  /// A place that was already waited at is not affected.
  func giveUp(_ place: Place) {
    if place.seat.giveUp() { place.run.letGo() }
  }

  private func join(
    _ key: Key, _ seat: Seat<Value>, holds: Bool,
    _ start: () -> @Sendable (SharedRun) async throws -> Value
  ) -> Run {
    // A seat that was already cancelled starts nothing.
    if seat.isAnswered { return Run(key, of: self, startedBy: seat) }
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
      return run
    }
    run.settle(seat, entry)
    if isNew { run.begin(start()) }
    return run
  }

  /// Removes the runs of the matching keys from the table, so that no new caller joins them.
  ///
  /// Callers that wait in them still get their answers.
  func forgetAll(where isMeant: (Key) -> Bool) {
    runs.withLock { runs in
      for key in runs.keys where isMeant(key) { runs[key] = nil }
    }
  }

  /// Removes a run that takes no more callers.
  func forget(_ run: Run) {
    runs.withLock { runs in
      if runs[run.key] === run { runs[run.key] = nil }
    }
  }
}

/// The value of a run, which can be joined while someone holds it.
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
