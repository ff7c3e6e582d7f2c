/// One caller's place in a run: resumed exactly once, by the run, by a cancellation or by the caller's own limit.
final class Seat<Value: Sendable>: Sendable {
  let priority: LivePriority
  let wish: RunWish
  /// The most bytes that it allows the run to bring.
  let byteLimit: Int
  /// What those behind this seat want, where it stands for a run of its own, whose callers come and go.
  let liveWish: (@Sendable () -> RunWish)?
  /// The run that it stands for, nil for a caller.
  let run: SharedRun?
  let listener: (@Sendable (RunEvent) -> Void)?

  private struct State {
    var continuation: UnsafeContinuation<Void, Never>?
    var result: Result<Value, any Error>?
    var whenLeaving: (@Sendable () -> Void)?
    var isWaitedAt = false
    var countedPriority = LoadPriority.normal
  }

  private let state = Locked(State())

  init(
    priority: LivePriority, wish: RunWish, byteLimit: Int = .max, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) {
    self.byteLimit = byteLimit
    self.priority = priority
    self.wish = wish
    self.listener = listener
    liveWish = nil
    run = nil
  }

  /// The seat of a run in another run.
  init(
    for run: SharedRun, byteLimit: Int = .max, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) {
    self.run = run
    priority = run.priority
    self.listener = listener ?? { run.emit($0) }
    self.byteLimit = byteLimit
    liveWish = { run.wish }
    wish = run.wish
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }

  /// Whether it has its answer already.
  var isAnswered: Bool { state.withLock { $0.result != nil } }

  /// The priority that the run has counted for this seat.
  var countedPriority: LoadPriority {
    get { state.withLock { $0.countedPriority } }
    set { state.withLock { $0.countedPriority = newValue } }
  }

  /// Calls `body` once when the answer comes from elsewhere than the run, or came already.
  func whenLeaving(_ body: @escaping @Sendable () -> Void) {
    let hasLeft = state.withLock { state in
      if case .failure = state.result { return true }
      if state.result == nil { state.whenLeaving = body }
      return false
    }
    if hasLeft { body() }
  }

  /// Waits for the answer.
  func wait() async throws -> Value {
    await withUnsafeContinuation { continuation in
      let isAnswered = state.withLock { state in
        state.isWaitedAt = true
        if state.result == nil { state.continuation = continuation }
        return state.result != nil
      }
      if isAnswered { continuation.resume() }
    }
    // Read under the lock and not handed over by the continuation, which ThreadSanitizer does not see.
    return try state.withLock { $0.result! }.get()
  }

  /// Leaves a seat that nobody waits at; returns whether it had a value that nobody took.
  func giveUp() -> Bool {
    cancel()
    return state.withLock { state in
      if case .success = state.result { return !state.isWaitedAt }
      return false
    }
  }

  /// The run's answer; false when there was another before.
  func resume(with result: Result<Value, any Error>) -> Bool {
    answer(result).isFirst
  }

  /// Answers with a cancellation, at once.
  func cancel() { fail(with: ImageError.cancelled()) }

  /// Answers with an error of this caller's own.
  func fail(with error: ImageError) {
    answer(.failure(error)).whenLeaving?()
  }

  private func answer(
    _ result: Result<Value, any Error>
  ) -> (isFirst: Bool, whenLeaving: (@Sendable () -> Void)?) {
    let (isFirst, continuation, whenLeaving) = state.withLock { state in
      guard state.result == nil else {
        return (false, nil as UnsafeContinuation<Void, Never>?, nil as (@Sendable () -> Void)?)
      }
      state.result = result
      defer {
        state.continuation = nil
        state.whenLeaving = nil
      }
      return (true, state.continuation, state.whenLeaving)
    }
    defer { continuation?.resume() }
    return (isFirst, whenLeaving)
  }
}
