/// One caller's place in a run.
///
/// It is answered exactly once: by the run, by a cancellation, or by the caller's own byte limit.
final class Seat<Value: Sendable>: SeatTaken {
  /// The priority, if it can change.
  let priority: LivePriority?
  private let statedPriority: LoadPriority
  let wish: RunWish
  /// The maximum number of bytes that the run may bring for this seat.
  let byteLimit: Int
  /// The turn of the load that took the seat; nil for work without a load.
  let turn: UInt64?
  /// The run that took the seat; nil for the seat of a load.
  let run: SharedRun?
  /// The chain of the run that took the seat or whose plug-in took it.
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

  /// Creates the seat of a load.
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

  /// Creates the seat of a run in another run.
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

  /// The current priority.
  var urgency: LoadPriority { priority?.value ?? statedPriority }

  /// True when the seat has its answer.
  var isAnswered: Bool { state.withLock { $0.outcome != nil } }

  /// Remembers the row and index to leave when the answer comes from elsewhere than the run.
  ///
  /// Returns false when the seat has already failed.
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
    // The outcome is read under the lock and not passed by the continuation, which ThreadSanitizer does not see.
    return try state.withLock { $0.outcome! }.result.get()
  }

  /// Cancels the seat.
  ///
  /// Returns true when it had a value that nobody took.
  func giveUp() -> Bool {
    cancel()
    return state.withLock { !$0.isWaitedAt && $0.outcome!.isSuccess }
  }

  /// Answers with the outcome of the run; returns false when the seat had an answer before.
  func resume(with outcome: Outcome<Value>) -> Bool { answer(outcome) != nil }

  /// Answers immediately with a cancellation.
  func cancel() { fail(with: ImageError.cancelled()) }

  /// Answers with an error that only concerns this caller.
  func fail(with error: ImageError) {
    guard let before = answer(Outcome(.failure(error))) else { return }
    before.row?.leave(before.index)
  }

  /// Answers if there was no answer before, and returns the state from before the answer.
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

/// A seat of any value type that can be cancelled.
protocol SeatTaken: AnyObject, Sendable {
  /// Answers immediately with a cancellation.
  func cancel()
}

/// The seats of a run of any value type.
protocol SeatRow: AnyObject, Sendable {
  /// Removes a seat that was answered by something else than the run.
  func leave(_ index: Int)
}
