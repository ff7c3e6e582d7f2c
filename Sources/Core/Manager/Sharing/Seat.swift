/// One caller's place in a run: resumed exactly once, by the run, by a cancellation or by the caller's own limit.
final class Seat<Value: Sendable>: Sendable {
  let priority: LivePriority
  let wish: RunWish
  /// What those behind this seat want, where it stands for a run of its own, whose callers come and go.
  let liveWish: (@Sendable () -> RunWish)?
  let listener: (@Sendable (RunEvent) -> Void)?

  private struct State {
    var continuation: UnsafeContinuation<Value, any Error>?
    var result: Result<Value, any Error>?
    var whenLeaving: (@Sendable () -> Void)?
    var countedPriority = LoadPriority.normal
  }

  private let state = Locked(State())

  init(priority: LivePriority, wish: RunWish, listener: (@Sendable (RunEvent) -> Void)?) {
    self.priority = priority
    self.wish = wish
    self.listener = listener
    liveWish = nil
  }

  /// The seat of a run in another run.
  init(
    for run: SharedRun, byteLimit: Int = .max, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) {
    priority = run.priority
    self.listener = listener ?? { run.emit($0) }
    let live: @Sendable () -> RunWish = {
      var wish = run.wish
      wish.byteLimit = byteLimit
      return wish
    }
    liveWish = live
    wish = live()
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }

  /// Whether it has its answer already.
  var isAnswered: Bool { state.withLock { $0.result != nil } }

  /// The priority that the run has counted for this seat.
  var countedPriority: LoadPriority {
    get { state.withLock { $0.countedPriority } }
    set { state.withLock { $0.countedPriority = newValue } }
  }

  /// Waits for the answer; `whenLeaving` is called once when it comes from elsewhere than the run.
  func wait(whenLeaving: @escaping @Sendable () -> Void) async throws -> Value {
    try await withUnsafeThrowingContinuation { continuation in
      let early = state.withLock { state -> (Result<Value, any Error>, hasLeft: Bool)? in
        guard let result = state.result else {
          state.continuation = continuation
          state.whenLeaving = whenLeaving
          return nil
        }
        if case .failure = result { return (result, true) }
        return (result, false)
      }
      guard let early else { return }
      if early.hasLeft { whenLeaving() }
      continuation.resume(with: early.0)
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
        return (false, nil as UnsafeContinuation<Value, any Error>?, nil as (@Sendable () -> Void)?)
      }
      state.result = result
      defer {
        state.continuation = nil
        state.whenLeaving = nil
      }
      return (true, state.continuation, state.whenLeaving)
    }
    defer { continuation?.resume(with: result) }
    return (isFirst, whenLeaving)
  }
}
