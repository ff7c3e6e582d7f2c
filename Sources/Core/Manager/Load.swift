/// One caller's load: who it is, how urgent, whom it tells, and how it is given up.
final class Load: Sendable {
  /// Tells it from every other, and says which of two began first.
  let number = Turn.next()
  let request: ImageRequest
  /// How urgent it is, where someone can change that.
  let priority: LivePriority?
  let events: EventChannel?

  private struct State {
    var resolved: ResolvedRequest?
    var observer: SerialDelivery<ImageEvent>?
    var isCancelled = false
    var hasEnded = false
    var seat: (any SeatTaken)?
  }

  private let state = Locked(State())

  /// The run whose plug-in asks, where that is known before the load runs.
  private let chain: RunChain?

  init(
    _ request: ImageRequest, priority: LivePriority? = nil, events: EventChannel? = nil, chain: RunChain? = nil
  ) {
    self.request = request
    self.chain = chain
    self.priority = priority
    self.events = events
  }

  /// The options after the processor had the last word.
  var options: ImageOptions { state.withLock { $0.resolved?.options } ?? request.options }

  /// The context after the processor had the last word.
  var context: ImageContext { state.withLock { $0.resolved?.context } ?? request.context }

  /// Whether it has its result.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Whether it was given up before it had a result.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Says who is told of the load, now that it is known what the request means; false when it was given up already.
  func begin(_ request: ResolvedRequest) -> Bool {
    let (isFirst, isCancelled) = state.withLock { state in
      guard state.resolved == nil else { return (false, state.isCancelled) }
      state.resolved = request
      state.observer = request.observer.map { observer in SerialDelivery { observer.observe($0) } }
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
      priority: priority, stated: request.priority, turn: number, wish: request.wish,
      chain: chain ?? RunChain.current,
      listener: listener(for: request))
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
      if !state.hasEnded { state.isCancelled = true }
      return state.seat
    }
    seat?.cancel()
  }

  /// Ends the load: nothing is told after its result, except what becomes of its stores.
  @inline(never)
  func end(_ outcome: ImageEvent.Kind) {
    let observer = state.withLock { state -> SerialDelivery<ImageEvent>? in
      defer {
        state.hasEnded = true
        state.seat = nil
      }
      guard !state.hasEnded else { return nil }
      // A caller that gives up too late has a result all the same, and somebody else may have given the load up.
      state.isCancelled = if case .failed(let error) = outcome { error.isCancellation } else { false }
      return post(outcome, nil, state)
    }
    observer?.deliver()
    events?.finish()
  }

  func report(_ kind: ImageEvent.Kind, in run: RunName? = nil) {
    let observer = state.withLock { state -> SerialDelivery<ImageEvent>? in
      switch kind {
      case .stored, .cacheFailed, .threadLost: post(kind, run, state)
      default: state.hasEnded ? nil : post(kind, run, state)
      }
    }
    observer?.deliver()
  }

  /// Posted in the same lock that says whether the load has ended, so that nothing follows the end.
  private func post(_ kind: ImageEvent.Kind, _ run: RunName?, _ state: State) -> SerialDelivery<ImageEvent>? {
    let isJoined = run.map { $0.turn != number } ?? false
    state.observer?.post(
      ImageEvent(load: number, key: state.resolved?.variantKey, run: run?.number, isJoined: isJoined, kind: kind))
    return state.observer
  }

  /// A picture on the way as the caller wants it; nil where it would have to be transformed first.
  private func fitted(_ image: Image) -> Image? {
    guard let request = state.withLock({ $0.resolved }) else { return image }
    return request.transformsFirstFrame(of: image) ? nil : request.fitted(image)
  }

  private func receive(_ event: RunEvent) {
    switch event {
    case .report(let kind, let run): report(kind, in: run)
    case .progress(let received, let expected): events?.send(.progress(received: received, expected: expected))
    case .preview(let image):
      if options.contains(.progressive), let image = fitted(image) { events?.send(.preview(image)) }
    case .cached(let image): if let image = fitted(image) { events?.send(.cached(image)) }
    case .arrived: break
    }
  }
}

/// How far a load came without waiting.
enum Beginning: Sendable {
  /// Memory had what is wanted.
  case answered(FoundInMemory, ResolvedRequest)
  /// Memory had the picture, and something has to be added to it.
  case found(Picture, ResolvedRequest, RunningLoads.Slot)
  /// It waits for a run.
  case seated(Seat<Picture>, ResolvedRequest, RunningLoads.Slot)
  /// It cannot be loaded.
  case failed(ImageError)

  /// Whether the picture was in memory, as it will be shown.
  var wasInMemory: Bool {
    switch self {
    case .answered: true
    case .found(let picture, let request, _): !request.transformsFirstFrame(of: picture.image)
    case .seated, .failed: false
    }
  }

  /// The picture, as soon as it is there.
  func picture(in runs: PictureRuns) async throws -> Picture {
    switch self {
    case .found(let picture, _, _): return picture
    case .seated(let seat, _, _): return try await runs.value(at: seat)
    case .answered, .failed: preconditionFailure("There is nothing to wait for.")
    }
  }
}

/// A picture that memory had and that may be used.
struct FoundInMemory {
  let image: Image
  let entry: CacheEntry

  var picture: Picture { Picture(image, from: .memory, bytes: entry.bytes, record: entry.record) }
}
