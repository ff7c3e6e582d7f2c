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
    join(key, seat, holds: false, start)
    return try await withTaskCancellationHandler {
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
    Place(run: join(key, seat, holds: true, start), seat: seat)
  }

  /// Joins this very run and no other of the same key, also when it is over: then its result is there at once.
  func join(_ run: Run, seat: Seat<Value>) -> Place {
    run.settle(seat, run.enter(seat, holds: true) ?? .answered(run.lastOutcome, holds: false))
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

  @discardableResult
  private func join(
    _ key: Key, _ seat: Seat<Value>, holds: Bool,
    _ start: @escaping @Sendable (SharedRun) async throws -> Value
  ) -> Run {
    if Task.isCancelled { seat.cancel() }
    // Whoever gave up already starts nothing.
    if seat.isAnswered { return Run(key, of: self) }
    let (run, entry, isNew) = runs.withLock { runs -> (Run, Run.Entry, Bool) in
      if let run = runs[key], let entry = run.enter(seat, holds: holds) { return (run, entry, false) }
      let run = Run(key, of: self)
      runs[key] = run
      return (run, run.enter(seat, holds: holds)!, true)
    }
    run.settle(seat, entry)
    if isNew { run.begin(start) }
    return run
  }

  /// Forgets a run that takes nobody in any more.
  fileprivate func forget(_ run: Run) {
    runs.withLock { runs in
      if runs[run.key] === run { runs[run.key] = nil }
    }
  }
}

extension SharedWork {
  /// One run, which those who know it can join even when it is over and the table has forgotten it.
  final class Run: SeatRow {
    let number = RunNumber.next()
    fileprivate let key: Key
    private let work: SharedWork
    private let shared = SharedRun()

    /// How a seat was taken: in the row, or with the answer there already.
    enum Entry {
      case seated(index: Int, isMoreUrgent: Bool)
      case answered(Outcome<Value>, holds: Bool)
    }

    private struct Taken {
      let seat: Seat<Value>
      let holds: Bool
      var urgency: LoadPriority
    }

    private struct State {
      var isOpen = true
      var row: [Taken?] = []
      var vacant: [Int] = []
      var urgencies = [Int](repeating: 0, count: LoadPriority.allCases.count)
      var outcome: Outcome<Value>?
      var holders = 0
      var task: Task<Void, Never>?

      var waitingCount: Int { row.count - vacant.count }

      var priority: LoadPriority {
        LoadPriority(rawValue: urgencies.lastIndex { $0 > 0 } ?? LoadPriority.normal.rawValue)!
      }
    }

    private let state = Locked(State())

    fileprivate init(_ key: Key, of work: SharedWork) {
      self.key = key
      self.work = work
    }

    fileprivate var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// What it ended with; a run that ended with nothing was cancelled.
    fileprivate var lastOutcome: Outcome<Value> {
      state.withLock { $0.outcome } ?? Outcome(.failure(ImageError.cancelled()))
    }

    /// Takes a seat in; nil where it is too late for that.
    fileprivate func enter(_ seat: Seat<Value>, holds: Bool) -> Entry? {
      state.withLock { state in
        guard state.isOpen else { return nil }
        if let outcome = state.outcome {
          if holds { state.holders += 1 }
          return .answered(outcome, holds: holds)
        }
        let urgency = seat.urgency
        let before = state.waitingCount == 0 ? shared.priority.value : state.priority
        state.urgencies[urgency.rawValue] += 1
        let taken = Taken(seat: seat, holds: holds, urgency: urgency)
        let index = state.vacant.popLast() ?? state.row.count
        if index < state.row.count { state.row[index] = taken } else { state.row.append(taken) }
        return .seated(index: index, isMoreUrgent: state.priority != before)
      }
    }

    /// Tells a seat what happened so far, and from now on.
    fileprivate func settle(_ seat: Seat<Value>, _ entry: Entry) {
      switch entry {
      case .answered(let outcome, let holds):
        shared.add(seat, isOver: true)
        // Its own limit may have answered the seat before; then that counts.
        if !seat.resume(with: outcome), holds { letGo() }
      case .seated(let index, let isMoreUrgent):
        shared.add(seat)
        if isMoreUrgent { updatePriority() }
        seat.priority?.onChange(for: seat) { [weak self] seat, _ in self?.recount(seat, index) }
        if !seat.sit(in: self, at: index) { leave(index) }
      }
    }

    fileprivate func begin(_ start: @escaping @Sendable (SharedRun) async throws -> Value) {
      let task = Task.detached {
        do { self.finish(.success(try await start(self.shared))) } catch { self.finish(.failure(error)) }
      }
      let wasCancelled = state.withLock { state in
        if state.isOpen, state.outcome == nil { state.task = task }
        return shared.cancellation.isCancelled
      }
      if wasCancelled { task.cancel() }
    }

    private func finish(_ result: Result<Value, any Error>) {
      let outcome = Outcome(result)
      let (row, isOver) = state.withLock { state -> ([Taken?], Bool) in
        guard state.isOpen else { return ([], false) }
        state.outcome = outcome
        state.task = nil
        if outcome.isSuccess { state.holders = state.row.count { $0?.holds == true } }
        state.isOpen = state.holders > 0
        defer {
          state.row = []
          state.vacant = []
        }
        return (state.row, !state.isOpen)
      }
      if isOver { work.forget(self) }
      for case let taken? in row where !taken.seat.resume(with: outcome) {
        // It had left in the meantime and holds nothing.
        if taken.holds, outcome.isSuccess { letGo() }
      }
    }

    func leave(_ index: Int) {
      let (seat, task) = state.withLock { state -> (Seat<Value>?, Task<Void, Never>?) in
        guard state.isOpen, index < state.row.count, let taken = state.row[index] else { return (nil, nil) }
        state.row[index] = nil
        state.vacant.append(index)
        state.urgencies[taken.urgency.rawValue] -= 1
        guard state.waitingCount == 0 else { return (taken.seat, nil) }
        // The last one: from here on nobody else is taken in.
        state.isOpen = false
        shared.cancellation.cancel()
        return (taken.seat, state.task)
      }
      guard let seat else { return }
      shared.remove(seat)
      if shared.cancellation.isCancelled {
        work.forget(self)
        task?.cancel()
      } else {
        updatePriority()
      }
    }

    fileprivate func letGo() {
      let isOver = state.withLock { state in
        guard state.isOpen, state.outcome != nil else { return false }
        state.holders -= 1
        state.isOpen = state.holders > 0
        return !state.isOpen
      }
      if isOver { work.forget(self) }
    }

    private func recount(_ seat: Seat<Value>, _ index: Int) {
      state.withLock { state in
        guard index < state.row.count, state.row[index]?.seat === seat else { return }
        state.urgencies[state.row[index]!.urgency.rawValue] -= 1
        state.row[index]!.urgency = seat.urgency
        state.urgencies[state.row[index]!.urgency.rawValue] += 1
      }
      updatePriority()
    }

    /// Repeated until what was set is still right, since others change it at the same time.
    private func updatePriority() {
      func wanted() -> LoadPriority? {
        state.withLock { $0.isOpen && $0.outcome == nil ? $0.priority : nil }
      }
      while let priority = wanted() {
        shared.priority.set(priority)
        if wanted() == priority { return }
      }
    }
  }
}
