import EaselCore
import EaselSupport

/// One caller's place in a run.
///
/// It gets exactly one answer: from the run, from a cancellation, or from the caller's own byte limit.
final class RunPlace: Sendable {
  /// The priority, if it can change.
  let priority: LoadPriority.Live?
  private let statedPriority: LoadPriority
  private let wish: RunDemand
  /// The maximum number of bytes that this caller accepts from the run.
  let byteLimit: Int
  /// The turn of the load that took the place; nil for work without a load.
  let turn: UInt64?
  /// The run that took the place; nil for the place of a load.
  let run: SharedRun?
  /// The run whose plug-in started the load that took the place; nil for other places.
  let plugin: PluginRun?
  let listener: SerialDelivery<RunEvent>?

  private struct State {
    var continuation: UnsafeContinuation<Void, Never>?
    var outcome: RunOutcome?
    var run: SharedRun?
    var index = 0
    var isGivenUp = false
  }

  private let state = Locked(State())

  /// Creates the place of a load.
  init(
    priority: LoadPriority.Live?, stated: LoadPriority = .normal, turn: UInt64? = nil, wish: RunDemand = RunDemand(),
    byteLimit: Int = .max, plugin: PluginRun? = nil, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) {
    self.plugin = plugin
    self.priority = priority
    statedPriority = stated
    self.turn = turn
    self.wish = wish
    self.byteLimit = byteLimit
    self.listener = listener.map { SerialDelivery(replacing: { $0.replaces($1) }, $0) }
    run = nil
    if plugin != nil { PluginRun.count(loads: 1) }
  }

  deinit {
    if plugin != nil { PluginRun.count(loads: -1) }
  }

  /// Creates the place of a run in another run.
  init(for run: SharedRun, byteLimit: Int = .max, listener: (@Sendable (RunEvent) -> Void)? = nil) {
    self.run = run
    plugin = nil
    priority = run.priority
    statedPriority = .normal
    turn = run.priority.turn
    self.listener = SerialDelivery(replacing: { $0.replaces($1) }, listener ?? { run.emit($0) })
    self.byteLimit = byteLimit
    wish = RunDemand()
  }

  /// The present demands of the owner; a run has the demands of its own callers.
  var currentWish: RunDemand { run?.wish ?? wish }

  /// True when no plug-in started the load or the run that took the place.
  var isOutermost: Bool { plugin == nil && run?.isOutermost ?? true }

  /// The current priority.
  var urgency: LoadPriority { priority?.value ?? statedPriority }

  /// True when the place has its answer.
  var isAnswered: Bool { state.withLock { $0.outcome != nil } }

  /// True when the place has a value of its run.
  var hasValue: Bool { state.withLock { $0.outcome?.isValue ?? false } }

  /// Notes the run and the index in it; if the place gets another answer than the run's, it leaves the run there.
  ///
  /// Returns false when the place has already failed.
  func enter(_ run: SharedRun, at index: Int) -> Bool {
    state.withLock { state in
      guard let outcome = state.outcome else {
        state.run = run
        state.index = index
        return true
      }
      return outcome.isValue
    }
  }

  /// Waits for the value of the run.
  ///
  /// If the waiting task is cancelled, it leaves the place.
  func value<Value: Sendable>(as type: Value.Type = Value.self) async throws -> Value {
    try await withTaskCancellationHandler {
      try await outcome().value(as: type)
    } onCancel: {
      cancel()
    }
  }

  private func outcome() async -> RunOutcome {
    await withUnsafeContinuation { continuation in
      let isAnswered = state.withLock { state in
        if state.outcome == nil { state.continuation = continuation }
        return state.outcome != nil
      }
      if isAnswered { continuation.resume() }
    }
    // The outcome is read under the lock: ThreadSanitizer does not see that a continuation passes a value between
    // threads.
    return state.withLock { $0.outcome! }
  }

  /// Gives up the place.
  ///
  /// The first call returns true if the place has a value of its run; all later calls return false.
  func giveUp() -> Bool {
    cancel()
    return state.withLock { state in
      defer { state.isGivenUp = true }
      return !state.isGivenUp && state.outcome!.isValue
    }
  }

  /// Answers with the outcome of the run; returns false when the place already had an answer.
  func resume(with outcome: RunOutcome) -> Bool { answer(outcome) != nil }

  /// Answers immediately with a cancellation.
  func cancel() { fail(with: ImageError.cancelled()) }

  /// Answers with an error that concerns only this caller.
  func fail(with error: ImageError) {
    guard let before = answer(.error(error)) else { return }
    before.run?.leave(before.index)
  }

  /// Answers if there is no answer yet, and returns the state before the answer.
  private func answer(_ outcome: RunOutcome) -> State? {
    let before = state.withLock { state -> State? in
      guard state.outcome == nil else { return nil }
      let before = state
      state.outcome = outcome
      state.run = nil
      state.continuation = nil
      return before
    }
    before?.continuation?.resume()
    return before
  }
}

/// The outcome of a run, for everyone who waited.
///
/// Only callers who joined the run know the type of its value, so runs and places need not be generic.
enum RunOutcome: Sendable {
  case value(any AnyObject & Sendable)
  case error(any Error)

  private final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  init<Value: Sendable>(of value: Value) { self = .value(Box(value)) }

  var isValue: Bool {
    if case .value = self { true } else { false }
  }

  func value<Value: Sendable>(as: Value.Type) throws -> Value {
    switch self {
    case .value(let box): (box as! Box<Value>).value
    case .error(let error): throw error
    }
  }
}
