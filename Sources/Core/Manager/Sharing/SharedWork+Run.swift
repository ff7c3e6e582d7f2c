extension SharedWork {
  /// One run.
  ///
  /// It can be joined by reference even when it is over and no longer in the table.
  final class Run: SeatRow {
    var number: UInt64 { shared.name.number }
    /// The turn of the load that started the run.
    var turn: UInt64? { shared.name.turn }
    let key: Key
    let work: SharedWork
    private let shared: SharedRun

    /// The way in which a seat was taken: in the row, or with its answer already there.
    enum Entry {
      case seated(index: Int, changesPriority: Bool)
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

    init(_ key: Key, of work: SharedWork, startedBy seat: Seat<Value>) {
      self.key = key
      self.work = work
      shared = SharedRun(turn: seat.turn, startedIn: seat.chain)
    }

    /// True when this run waits for the owner of the seat, which must then not wait for this run.
    func waits(for seat: Seat<Value>) -> Bool { seat.chain?.contains(shared.chain) ?? false }

    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// The outcome of the run; a run without an outcome was cancelled.
    var lastOutcome: Outcome<Value> {
      state.withLock { $0.outcome } ?? Outcome(.failure(ImageError.cancelled()))
    }

    /// Adds a seat; returns nil when the run takes no more seats.
    func enter(_ seat: Seat<Value>, holds: Bool) -> Entry? {
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
        return .seated(index: index, changesPriority: state.priority != before)
      }
    }

    /// Sends a seat the events so far, and connects it to the later ones.
    func settle(_ seat: Seat<Value>, _ entry: Entry) {
      switch entry {
      case .answered(let outcome, let holds):
        shared.add(seat, isOver: true)
        // The seat's own limit may have answered it before; that answer counts.
        if !seat.resume(with: outcome), holds { letGo() }
      case .seated(let index, let changesPriority):
        shared.add(seat)
        if changesPriority { updatePriority() }
        seat.priority?.onChange(for: seat) { [weak self] seat, _ in self?.recount(seat, index) }
        if !seat.sit(in: self, at: index) { leave(index) }
      }
    }

    func begin(_ start: @escaping @Sendable (SharedRun) async throws -> Value) {
      let task = Task.detached {
        let result: Result<Value, any Error>
        do { result = .success(try await start(self.shared)) } catch { result = .failure(error) }
        self.shared.endJoinedRuns()
        self.finish(result)
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
        // The seat left in the meantime and holds nothing.
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
        // The last seat has left: the run takes no more seats.
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

    func letGo() {
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

    /// Sets the priority, and repeats until it is still right afterwards, because other threads change it at the same
    /// time.
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

/// The outcome of a run, shared by everyone who waited.
final class Outcome<Value: Sendable>: Sendable {
  let result: Result<Value, any Error>

  init(_ result: Result<Value, any Error>) { self.result = result }

  var isSuccess: Bool {
    if case .success = result { true } else { false }
  }
}
