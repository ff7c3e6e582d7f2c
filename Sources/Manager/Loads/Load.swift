import EaselCore
import EaselSupport
import FoundationEssentials

/// One caller's load: its number, priority, listeners and cancellation.
final class Load: Sendable {
  /// The number of the load.
  ///
  /// Of two loads, the one with the smaller number began first.
  let number = StartNumber.next()
  let request: ImageRequest
  /// The recipe of a load of encoded bytes; nil for pictures.
  let recipe: EncodeRecipe?
  /// The priority, if it can change during the load.
  let priority: LoadPriority.Live?
  let events: EventChannel?

  private struct State {
    var resolved: ResolvedRequest?
    var reporter: LoadReporter?
    var isCancelled = false
    var hasEnded = false
    var place: RunPlace?
  }

  private let state = Locked(State())

  /// The run whose plug-in started the load, if that was known when the load was created.
  private let plugin: PluginRun?

  init(
    _ request: ImageRequest, recipe: EncodeRecipe? = nil, priority: LoadPriority.Live? = nil,
    events: EventChannel? = nil, plugin: PluginRun? = nil
  ) {
    self.request = request
    self.recipe = recipe
    self.plugin = plugin
    self.priority = priority
    self.events = events
  }

  /// The options after the options processor changed them.
  var options: ImageOptions { state.withLock { $0.resolved?.options } ?? request.options }

  /// The context after the options processor changed it.
  var context: ImageContext { state.withLock { $0.resolved?.context } ?? request.context }

  /// True when the load has its result.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// True when the load was cancelled before it had a result.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Sets the resolved request and its observer.
  ///
  /// Returns false when the load was already cancelled.
  func begin(_ request: ResolvedRequest, clock: @autoclosure () -> any ImageClock) -> Bool {
    let reporter = request.observer == nil ? nil : LoadReporter(request, of: number, clock: clock())
    let (isFirst, isCancelled) = state.withLock { state in
      guard state.resolved == nil else { return (false, state.isCancelled) }
      state.resolved = request
      state.reporter = reporter
      return (true, state.isCancelled)
    }
    guard isFirst else { return !isCancelled }
    // A priority that the caller has set in the meantime stays.
    let stated = self.request.statedPriority
    if let priority, request.priority != stated, priority.value == stated { priority.set(request.priority) }
    if request.observer != nil { report(.started) }
    return !isCancelled
  }

  /// Takes a place in a run.
  ///
  /// The load leaves the place when it is cancelled.
  func place(for request: ResolvedRequest) -> RunPlace {
    let place = RunPlace(
      priority: priority, stated: request.priority, turn: number, wish: request.wish,
      plugin: plugin ?? PluginRun.current,
      listener: listener(for: request))
    let isCancelled = state.withLock { state in
      state.place = place
      return state.isCancelled
    }
    if isCancelled { place.cancel() }
    return place
  }

  /// The listener for events of the run; nil if neither the caller nor an observer listens.
  ///
  /// The closure retains the load, so the run keeps the load alive. The observer therefore also learns of stores that
  /// fail after the delivery. The load releases its place when it ends.
  private func listener(for request: ResolvedRequest) -> (@Sendable (RunEvent) -> Void)? {
    guard events != nil || request.observer != nil else { return nil }
    return { event in self.receive(event) }
  }

  /// Does work that no other load shares.
  ///
  /// The work is a run as well: a caller that cancels gets its answer immediately, and the work is then cancelled.
  func runAlone<Value: Sendable>(
    for request: ResolvedRequest, _ make: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Value {
    try await SharedWork<UInt64, Value>().value(for: number, place: place(for: request), start: make)
  }

  func cancel() {
    let place = state.withLock { state in
      if !state.hasEnded { state.isCancelled = true }
      return state.place
    }
    place?.cancel()
  }

  /// Ends the load; returns the reporter that must deliver the last events before the caller gets the result.
  ///
  /// Another thread may still be delivering older events to the observer, and the result must not overtake them. No
  /// event follows the result, except those about its stores and lost threads.
  @inline(never)
  func end(_ outcome: ImageEvent.Kind) -> LoadReporter? {
    let reporter = state.withLock { state -> LoadReporter? in
      defer {
        state.hasEnded = true
        state.place = nil
      }
      guard !state.hasEnded else { return nil }
      // A cancellation after the result does not count. The error may also be a cancellation by another caller.
      state.isCancelled = if case .failed(let error) = outcome { error.isCancellation } else { false }
      state.reporter?.post(outcome, in: nil, began: nil)
      return state.reporter
    }
    events?.finish()
    return reporter
  }

  /// Tells the observer of an event; `began` is nil for an event without a duration.
  func report(_ kind: ImageEvent.Kind, in run: RunID? = nil, began: Date? = nil) {
    // The event is posted under the lock that guards `hasEnded`, so that no event follows the end.
    let reporter = state.withLock { state -> LoadReporter? in
      switch kind {
      case .stored, .cacheFailed, .threadLost: break
      default: if state.hasEnded { return nil }
      }
      state.reporter?.post(kind, in: run, began: began)
      return state.reporter
    }
    reporter?.deliver()
  }

  /// Adapts a preview or a cached picture to the caller; returns nil when it would have to be transformed first.
  private func fitted(_ image: Image) -> Image? {
    guard let request = state.withLock({ $0.resolved }) else { return image }
    return request.transformsFirstFrame(of: image) ? nil : request.fitted(image)
  }

  private func receive(_ event: RunEvent) {
    switch event {
    case .report(let kind, let run, let began): report(kind, in: run, began: began)
    case .progress(let received, let expected): events?.send(.progress(received: received, expected: expected))
    case .preview(let image):
      if options.contains(.progressive), let image = fitted(image) { events?.send(.preview(image)) }
    case .cached(let image): if let image = fitted(image) { events?.send(.cached(image)) }
    case .arrived: break
    }
  }
}
