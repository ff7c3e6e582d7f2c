import Synchronization

/// One caller's load: who it is, how urgent, whom it tells, and how it is given up.
final class Load: Sendable {
  private static let numbers = Atomic<UInt64>(0)

  let number = Load.numbers.add(1, ordering: .relaxed).newValue
  let request: ImageRequest
  /// How urgent it is, where someone can change that.
  let priority: LivePriority?
  let events: EventChannel?

  private struct State {
    var resolved: ResolvedRequest?
    var observer: Mailbox<ImageEvent>?
    var isCancelled = false
    var hasEnded = false
    var seat: (any SeatTaken)?
  }

  private let state = Locked(State())

  init(_ request: ImageRequest, priority: LivePriority? = nil, events: EventChannel? = nil) {
    self.request = request
    self.priority = priority
    self.events = events
  }

  /// The options after the processor had the last word.
  var options: ImageOptions { state.withLock { $0.resolved?.options } ?? request.options }

  /// Says who is told of the load, now that it is known what the request means; false when it was given up already.
  func begin(_ request: ResolvedRequest) -> Bool {
    let (isFirst, isCancelled) = state.withLock { state in
      guard state.resolved == nil else { return (false, state.isCancelled) }
      state.resolved = request
      state.observer = request.observer.map { observer in Mailbox { observer.observe($0) } }
      return (true, state.isCancelled)
    }
    guard isFirst else { return !isCancelled }
    // What the caller has set meanwhile stays.
    let stated = self.request.statedPriority
    if let priority, request.priority != stated, priority.value == stated { priority.set(request.priority) }
    if request.observer != nil { report(.started) }
    return !isCancelled
  }

  /// A place in a run; the load leaves it when it is cancelled.
  func seat<Value: Sendable>(for request: ResolvedRequest) -> Seat<Value> {
    let seat = Seat<Value>(
      priority: priority, stated: request.priority, wish: request.wish, listener: listener(for: request))
    let isCancelled = state.withLock { state in
      state.seat = seat
      return state.isCancelled
    }
    if isCancelled { seat.cancel() }
    return seat
  }

  /// Kept alive by the run, so that its observer hears of stores that fail after the picture was delivered; the load
  /// lets go of its seat when it ends.
  private func listener(for request: ResolvedRequest) -> (@Sendable (RunEvent) -> Void)? {
    guard events != nil || request.observer != nil else { return nil }
    return { event in self.receive(event) }
  }

  func cancel() {
    let seat = state.withLock { state in
      state.isCancelled = true
      return state.seat
    }
    seat?.cancel()
  }

  /// Ends the load: nothing is told after its result, except what becomes of its stores.
  @inline(never)
  func end(_ outcome: ImageEvent.Kind) {
    let observer = state.withLock { state -> Mailbox<ImageEvent>? in
      defer {
        state.hasEnded = true
        state.seat = nil
      }
      return state.hasEnded ? nil : post(outcome, state)
    }
    observer?.deliver()
    events?.finish()
  }

  func report(_ kind: ImageEvent.Kind) {
    let observer = state.withLock { state -> Mailbox<ImageEvent>? in
      switch kind {
      case .stored, .cacheFailed: post(kind, state)
      default: state.hasEnded ? nil : post(kind, state)
      }
    }
    observer?.deliver()
  }

  /// Posted in the same lock that says whether the load has ended, so that nothing follows the end.
  private func post(_ kind: ImageEvent.Kind, _ state: State) -> Mailbox<ImageEvent>? {
    state.observer?.post(ImageEvent(load: number, key: state.resolved?.variantKey, kind: kind))
    return state.observer
  }

  private func fitted(_ image: Image) -> Image {
    state.withLock { $0.resolved }?.fitted(image) ?? image
  }

  private func receive(_ event: RunEvent) {
    switch event {
    case .report(let kind): report(kind)
    case .progress(let received, let expected): events?.send(.progress(received: received, expected: expected))
    case .preview(let image): if options.contains(.progressive) { events?.send(.preview(fitted(image))) }
    case .cached(let image): events?.send(.cached(fitted(image)))
    case .arrived: break
    }
  }
}
