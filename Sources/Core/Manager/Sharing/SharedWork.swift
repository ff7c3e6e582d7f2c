/// Single flight with manners: many callers, one run.
///
/// Everyone who asks for the same key while it is worked on gets the one result. The run is as urgent as the most
/// urgent of those who wait; who cancels is answered at once and leaves; when the last one leaves, the run is
/// cancelled. Attaching and starting are one decision under one lock, and so are finishing and closing the door, so
/// that nobody is lost in between.
///
/// A finished value stays joinable until everyone has let go of what they hold of it.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// A seat that was taken; whoever took it waits for its value or gives it up.
  struct Place: Sendable {
    fileprivate let run: Run
    fileprivate let seat: Seat<Value>
    /// What lay ready, where nobody needs to wait.
    fileprivate let ready: Result<Held<Value>, any Error>?
  }

  fileprivate final class Run: Sendable {
    let shared = SharedRun()
    let key: Key
    init(key: Key) { self.key = key }
  }

  private struct Progress {
    let run: Run
    var seats: [ObjectIdentifier: Seat<Value>] = [:]
    var urgencies = [Int](repeating: 0, count: LoadPriority.allCases.count)
    var result: Result<Value, any Error>?
    var holders = 0
    var task: Task<Void, Never>?

    var priority: LoadPriority {
      LoadPriority(rawValue: urgencies.lastIndex { $0 > 0 } ?? LoadPriority.normal.rawValue)!
    }
  }

  private let runs = Locked<[Key: Progress]>([:])

  /// The number of runs that can be joined.
  var count: Int { runs.withLock { $0.count } }

  /// Joins the run of `key`, or starts it, and waits for its value.
  func value(
    for key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Value {
    let held = try await hold(key, seat: seat, start: start)
    held.release()
    return held.value
  }

  /// The same, and keeps the value joinable until it is released.
  func hold(
    _ key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Held<Value> {
    try await held(at: join(key, seat: seat, start: start))
  }

  /// Joins or starts at once, without waiting: whatever is told from now on reaches the seat.
  func join(
    _ key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) -> Place {
    let (run, isNew, ready) = enter(key, seat)
    if let ready { return Place(run: run, seat: seat, ready: ready.map { held($0, run) }) }
    run.shared.add(seat)
    followPriority(of: seat, run)
    if isNew { begin(run, start) }
    seat.whenLeaving { self.leave(run, seat) }
    return Place(run: run, seat: seat, ready: nil)
  }

  /// Waits for the value, and keeps it joinable until it is released.
  func held(at place: Place) async throws -> Held<Value> {
    if let ready = place.ready { return try ready.get() }
    let value = try await withTaskCancellationHandler {
      try await place.seat.wait()
    } onCancel: {
      place.seat.cancel()
    }
    return held(value, place.run)
  }

  /// Leaves a place; a value that was taken there stays with who took it.
  func giveUp(_ place: Place) {
    if case .success(let held) = place.ready { held.release() }
    if place.seat.giveUp() { letGo(place.run) }
  }

  private func enter(_ key: Key, _ seat: Seat<Value>) -> (Run, isNew: Bool, ready: Result<Value, any Error>?) {
    runs.withLock { runs in
      if let result = runs[key]?.result {
        if case .success = result { runs[key]!.holders += 1 }
        return (runs[key]!.run, false, result)
      }
      let isNew = runs[key] == nil
      if isNew { runs[key] = Progress(run: Run(key: key)) }
      runs[key]!.seats[seat.id] = seat
      seat.countedPriority = seat.priority.value
      runs[key]!.urgencies[seat.countedPriority.rawValue] += 1
      return (runs[key]!.run, isNew, nil)
    }
  }

  private func begin(_ run: Run, _ start: @escaping @Sendable (SharedRun) async throws -> Value) {
    let task = Task.detached {
      let result: Result<Value, any Error>
      do { result = .success(try await start(run.shared)) } catch { result = .failure(error) }
      self.finish(run, with: result)
    }
    let wasCancelled = runs.withLock { runs in
      guard runs[run.key]?.run === run else { return run.shared.cancellation.isCancelled }
      runs[run.key]!.task = task
      return false
    }
    if wasCancelled { task.cancel() }
  }

  private func finish(_ run: Run, with result: Result<Value, any Error>) {
    let seats = runs.withLock { runs -> [Seat<Value>] in
      guard let progress = runs[run.key], progress.run === run else { return [] }
      let seats = Array(progress.seats.values)
      let holders = seats.count { holds($0, result) }
      if holders == 0 {
        runs[run.key] = nil
      } else {
        runs[run.key]!.result = result
        runs[run.key]!.holders = holders
        runs[run.key]!.seats = [:]
        runs[run.key]!.task = nil
      }
      return seats
    }
    for seat in seats where !seat.resume(with: result) {
      // It had left in the meantime and holds nothing.
      if holds(seat, result) { letGo(run) }
    }
  }

  private func holds(_ seat: Seat<Value>, _ result: Result<Value, any Error>) -> Bool {
    if case .success = result { true } else { seat.keepsFailure }
  }

  /// Called when a seat was answered by something else than the run: a cancellation, or its own limit.
  private func leave(_ run: Run, _ seat: Seat<Value>) {
    run.shared.remove(seat.id)
    let (task, isLast) = runs.withLock { runs -> (Task<Void, Never>?, Bool) in
      guard runs[run.key]?.run === run, runs[run.key]!.seats.removeValue(forKey: seat.id) != nil else {
        return (nil, false)
      }
      runs[run.key]!.urgencies[seat.countedPriority.rawValue] -= 1
      guard runs[run.key]!.seats.isEmpty else { return (nil, false) }
      run.shared.cancellation.cancel()
      return (runs.removeValue(forKey: run.key)!.task, true)
    }
    if isLast { task?.cancel() } else { updatePriority(run) }
  }

  private func held(_ value: Value, _ run: Run) -> Held<Value> {
    Held(value) { self.letGo(run) }
  }

  private func letGo(_ run: Run) {
    runs.withLock { runs in
      guard runs[run.key]?.run === run, runs[run.key]!.result != nil else { return }
      runs[run.key]!.holders -= 1
      if runs[run.key]!.holders <= 0 { runs[run.key] = nil }
    }
  }

  private func followPriority(of seat: Seat<Value>, _ run: Run) {
    seat.priority.onChange { [weak self, weak seat, weak run] _ in
      guard let self, let seat, let run else { return }
      recount(seat, run)
    }
  }

  private func recount(_ seat: Seat<Value>, _ run: Run) {
    runs.withLock { runs in
      guard runs[run.key]?.run === run, runs[run.key]!.seats[seat.id] != nil else { return }
      runs[run.key]!.urgencies[seat.countedPriority.rawValue] -= 1
      seat.countedPriority = seat.priority.value
      runs[run.key]!.urgencies[seat.countedPriority.rawValue] += 1
    }
    updatePriority(run)
  }

  /// Repeated until what was set is still right, since others change it at the same time.
  private func updatePriority(_ run: Run) {
    func wanted() -> LoadPriority? {
      runs.withLock { $0[run.key]?.run === run ? $0[run.key]!.priority : nil }
    }
    while let priority = wanted() {
      run.shared.priority.set(priority)
      if wanted() == priority { return }
    }
  }
}
