/// One caller's place in a run: resumed exactly once, by the run, by a cancellation or by the caller's own limit.
final class Seat<Value: Sendable>: SeatTaken {
  /// How urgent it is, where that can change.
  let priority: LivePriority?
  private let statedPriority: LoadPriority
  let wish: RunWish
  /// The most bytes that it allows the run to bring.
  let byteLimit: Int
  /// When the load that it was taken for began, nil for work of no load.
  let turn: UInt64?
  /// The run that it stands for, nil for a caller.
  let run: SharedRun?
  /// The run that it stands for or whose plug-in the caller is, and those that wait for that.
  let chain: RunChain?
  let listener: (@Sendable (RunEvent) -> Void)?

  private struct State {
    var continuation: UnsafeContinuation<Void, Never>?
    var outcome: Outcome<Value>?
    var row: (any SeatRow)?
    var index = 0
    var isWaitedAt = false
  }

  private let state = Locked(State())

  /// The seat of a caller.
  init(
    priority: LivePriority?, stated: LoadPriority = .normal, turn: UInt64? = nil, wish: RunWish,
    byteLimit: Int = .max, chain: RunChain? = nil, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) {
    self.chain = chain
    self.priority = priority
    statedPriority = stated
    self.turn = turn
    self.wish = wish
    self.byteLimit = byteLimit
    self.listener = listener
    run = nil
  }

  /// The seat of a run in another run.
  init(
    for run: SharedRun, byteLimit: Int = .max, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) {
    self.run = run
    chain = run.chain
    priority = run.priority
    statedPriority = .normal
    turn = run.priority.turn
    self.listener = listener ?? { run.emit($0) }
    self.byteLimit = byteLimit
    wish = run.wish
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }

  /// How urgent it is now.
  var urgency: LoadPriority { priority?.value ?? statedPriority }

  /// Whether it has its answer already.
  var isAnswered: Bool { state.withLock { $0.outcome != nil } }

  /// Notes what to leave when the answer comes from elsewhere than the run; false when it came already.
  func sit(in row: any SeatRow, at index: Int) -> Bool {
    state.withLock { state in
      guard let outcome = state.outcome else {
        state.row = row
        state.index = index
        return true
      }
      return outcome.isSuccess
    }
  }

  /// Waits for the answer.
  func wait() async throws -> Value {
    await withUnsafeContinuation { continuation in
      let isAnswered = state.withLock { state in
        state.isWaitedAt = true
        if state.outcome == nil { state.continuation = continuation }
        return state.outcome != nil
      }
      if isAnswered { continuation.resume() }
    }
    // Read under the lock and not handed over by the continuation, which ThreadSanitizer does not see.
    return try state.withLock { $0.outcome! }.result.get()
  }

  /// Leaves a seat that nobody waits at; returns whether it had a value that nobody took.
  func giveUp() -> Bool {
    cancel()
    return state.withLock { !$0.isWaitedAt && $0.outcome!.isSuccess }
  }

  /// The run's answer; false when there was another before.
  func resume(with outcome: Outcome<Value>) -> Bool { answer(outcome) != nil }

  /// Answers with a cancellation, at once.
  func cancel() { fail(with: ImageError.cancelled()) }

  /// Answers with an error of this caller's own.
  func fail(with error: ImageError) {
    guard let before = answer(Outcome(.failure(error))) else { return }
    before.row?.leave(before.index)
  }

  /// Answers unless there was an answer before, and returns how things stood then.
  private func answer(_ outcome: Outcome<Value>) -> State? {
    let before = state.withLock { state -> State? in
      guard state.outcome == nil else { return nil }
      let before = state
      state.outcome = outcome
      state.row = nil
      state.continuation = nil
      return before
    }
    before?.continuation?.resume()
    return before
  }
}

/// A seat of whatever kind that can be left.
protocol SeatTaken: AnyObject, Sendable {
  /// Answers with a cancellation, at once.
  func cancel()
}

/// The row of seats of a run, whatever it works on.
protocol SeatRow: AnyObject, Sendable {
  /// Takes out who was answered by something else than the run.
  func leave(_ index: Int)
}
