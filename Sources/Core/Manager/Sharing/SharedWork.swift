/// Single flight with manners: many callers, one run.
///
/// Everyone who asks for the same key while it is worked on gets the one result. The run is as urgent as the most
/// urgent of those who wait; who cancels is answered at once and leaves; when the last one leaves, the run is
/// cancelled. Attaching and starting are one decision under one lock, and so are finishing and closing the door, so
/// that nobody is lost in between.
///
/// A finished value stays joinable until everyone has let go of what they hold of it.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// One run, which those who know it can join even when it is over and the table has forgotten it.
  final class Run: Sendable {
    let number = RunNumber.next()
    fileprivate let shared = SharedRun()
    fileprivate let key: Key
    fileprivate let result = Locked<Result<Value, any Error>?>(nil)
    fileprivate init(key: Key) { self.key = key }
  }

  /// A seat that was taken; whoever took it waits for its value or gives it up.
  struct Place: Sendable {
    let run: Run
    fileprivate let seat: Seat<Value>
  }

  private struct Progress {
    let run: Run
    var seats: [ObjectIdentifier: Seat<Value>] = [:]
    var urgencies = [Int](repeating: 0, count: LoadPriority.allCases.count)
    var value: Value?
    var holders = 0
    var task: Task<Void, Never>?

    var priority: LoadPriority {
      LoadPriority(rawValue: urgencies.lastIndex { $0 > 0 } ?? LoadPriority.normal.rawValue)!
    }
  }

  private let runs = Locked<[Key: Progress]>([:])

  /// The number of runs that can be joined.
  var count: Int { runs.withLock { $0.count } }

  /// The number of those who wait in all runs.
  var waitingCount: Int { runs.withLock { $0.values.reduce(0) { $0 + $1.seats.count } } }

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
    try await held(by: join(key, seat: seat, start: start))
  }

  /// Joins the run of `key`, or starts it, at once and without waiting: whatever is told from now on reaches the seat.
  func join(
    _ key: Key, seat: Seat<Value>, start: @escaping @Sendable (SharedRun) async throws -> Value
  ) -> Place {
    if Task.isCancelled { seat.cancel() }
    // Whoever gave up already starts nothing.
    if seat.isAnswered { return Place(run: Run(key: key), seat: seat) }
    let (run, isNew, ready) = enter(key, seat)
    settle(seat, in: run, ready.map { .success($0) })
    if isNew { begin(run, start) }
    return Place(run: run, seat: seat)
  }

  /// Joins this very run and no other of the same key, also when it is over: then its result is there at once.
  func join(_ run: Run, seat: Seat<Value>) -> Place {
    settle(seat, in: run, enter(run, seat))
    return Place(run: run, seat: seat)
  }

  /// Waits for the value, and keeps it joinable until it is released.
  func held(by place: Place) async throws -> Held<Value> {
    let value = try await withTaskCancellationHandler {
      try await place.seat.wait()
    } onCancel: {
      place.seat.cancel()
    }
    return Held(value) { self.letGo(place.run) }
  }

  /// Leaves a place; nothing happens when someone has waited at it.
  func giveUp(_ place: Place) {
    if place.seat.giveUp() { letGo(place.run) }
  }

  private func enter(_ key: Key, _ seat: Seat<Value>) -> (Run, isNew: Bool, ready: Value?) {
    runs.withLock { runs in
      if let value = runs[key]?.value {
        runs[key]!.holders += 1
        return (runs[key]!.run, false, value)
      }
      let isNew = runs[key] == nil
      if isNew { runs[key] = Progress(run: Run(key: key)) }
      take(seat, &runs[key]!)
      return (runs[key]!.run, isNew, nil)
    }
  }

  private func enter(_ run: Run, _ seat: Seat<Value>) -> Result<Value, any Error>? {
    runs.withLock { runs in
      guard runs[run.key]?.run === run else {
        return run.result.withLock { $0 } ?? .failure(ImageError.cancelled())
      }
      if let value = runs[run.key]!.value {
        runs[run.key]!.holders += 1
        return .success(value)
      }
      take(seat, &runs[run.key]!)
      return nil
    }
  }

  private func take(_ seat: Seat<Value>, _ progress: inout Progress) {
    progress.seats[seat.id] = seat
    seat.countedPriority = seat.priority.value
    progress.urgencies[seat.countedPriority.rawValue] += 1
  }

  private func settle(_ seat: Seat<Value>, in run: Run, _ ready: Result<Value, any Error>?) {
    run.shared.add(seat, isOver: ready != nil)
    if let ready {
      // Its own limit may have answered the seat before; then that counts.
      if !seat.resume(with: ready), case .success = ready { letGo(run) }
    } else {
      followPriority(of: seat, run)
      seat.whenLeaving { self.leave(run, seat) }
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
      run.result.withLock { $0 = result }
      if case .success(let value) = result {
        runs[run.key]!.value = value
        runs[run.key]!.holders = progress.seats.count
        runs[run.key]!.seats = [:]
        runs[run.key]!.task = nil
      } else {
        runs[run.key] = nil
      }
      return Array(progress.seats.values)
    }
    for seat in seats where !seat.resume(with: result) {
      // It had left in the meantime and holds nothing.
      if case .success = result { letGo(run) }
    }
  }

  /// Called when a seat was answered by something else than the run: a cancellation, or its own limit.
  private func leave(_ run: Run, _ seat: Seat<Value>) {
    run.shared.remove(seat)
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

  private func letGo(_ run: Run) {
    runs.withLock { runs in
      guard runs[run.key]?.run === run, runs[run.key]!.value != nil else { return }
      runs[run.key]!.holders -= 1
      if runs[run.key]!.holders <= 0 { runs[run.key] = nil }
    }
  }

  private func followPriority(of seat: Seat<Value>, _ run: Run) {
    seat.priority.onChange(for: seat) { [weak self, weak run] seat, _ in
      guard let self, let run else { return }
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
