/// One run of some work, as the work itself sees it.
final class SharedRun: Sendable {
  /// The highest priority of those who wait for it.
  let priority = LivePriority()
  /// Set when the last one has left.
  let cancellation = Cancellation()

  private struct State {
    var wish = RunWish()
    var liveWishes: [ObjectIdentifier: @Sendable () -> RunWish] = [:]
    var listeners: [ObjectIdentifier: Mailbox<RunEvent>] = [:]
    var progress: RunEvent?
    var preview: RunEvent?
    var cached: RunEvent?
    var arrival: RunEvent?
    var reports: [RunEvent] = []
    var evictions: [ObjectIdentifier: Eviction] = [:]
    var tightestLimit = Int.max
    var byteCount = 0
    var whenPreviewsAreWanted: [@Sendable () -> Void] = []
  }

  /// Someone who wants fewer bytes than the run may bring, and how to tell them that it is more.
  private struct Eviction {
    let byteLimit: Int
    let fail: @Sendable () -> Void
  }

  // Enough for every stage; a run that retries for hours must not fill the memory with what it said.
  private static let mostReports = 32

  private let state = Locked(State())

  /// What all callers together want now; those who left are counted as they came.
  var wish: RunWish {
    var (wish, liveWishes) = state.withLock { ($0.wish, $0.liveWishes) }
    for live in liveWishes.values { wish.formUnion(live()) }
    return wish
  }

  /// Tells the observers of everyone who waits.
  func report(_ kind: ImageEvent.Kind) { emit(.report(kind)) }

  /// Tells everyone who listens, each in the order of the events.
  func emit(_ event: RunEvent) {
    let listeners = state.withLock { state in
      switch event {
      case .progress(let received, let expected):
        state.progress = event
        if received == 0, expected == nil { state.byteCount = 0 }
      case .preview: state.preview = event
      case .cached: state.cached = event
      case .arrived: state.arrival = event
      case .report: if state.reports.count < SharedRun.mostReports { state.reports.append(event) }
      }
      for listener in state.listeners.values { listener.post(event) }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.deliver() }
  }

  /// Fails those whose own limit is below `count` bytes; the others go on.
  func received(byteCount count: Int) {
    let failures = state.withLock { state -> [@Sendable () -> Void] in
      state.byteCount = count
      guard count > state.tightestLimit else { return [] }
      let failing = state.evictions.filter { $0.value.byteLimit < count }
      for id in failing.keys { state.evictions[id] = nil }
      state.tightestLimit = state.evictions.values.map(\.byteLimit).min() ?? .max
      return failing.values.map(\.fail)
    }
    for fail in failures { fail() }
  }

  /// Calls `body` whenever someone joins who wants previews.
  func whenPreviewsAreWanted(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenPreviewsAreWanted.append(body) }
  }

  private func previewsAreWanted() {
    for tell in state.withLock({ $0.whenPreviewsAreWanted }) { tell() }
  }

  /// Takes someone in, who is told what happened so far; where the run is over, nothing else will come.
  func add<Value>(_ seat: Seat<Value>, isOver: Bool = false) {
    if !isOver { seat.run?.whenPreviewsAreWanted { [weak self] in self?.previewsAreWanted() } }
    let listener = seat.listener.map { Mailbox($0) }
    let limit = seat.wish.byteLimit
    let exceedsLimit = state.withLock { state in
      if let listener {
        for event in Self.history(of: state, isOver: isOver) { listener.post(event) }
      }
      if state.byteCount > limit { return true }
      guard !isOver else { return false }
      state.wish.formUnion(seat.wish)
      state.liveWishes[seat.id] = seat.liveWish
      state.listeners[seat.id] = listener
      if limit < .max {
        state.evictions[seat.id] = Eviction(byteLimit: limit) { seat.fail(with: BodySink.tooLarge(limit: limit)) }
        state.tightestLimit = min(state.tightestLimit, limit)
      }
      return false
    }
    listener?.deliver()
    if exceedsLimit { seat.fail(with: BodySink.tooLarge(limit: limit)) }
    if seat.wish.wantsPreviews, !isOver { previewsAreWanted() }
  }

  func remove(_ id: ObjectIdentifier) {
    state.withLock { state in
      state.liveWishes[id] = nil
      state.listeners[id] = nil
      state.evictions[id] = nil
    }
  }

  /// What one who comes late is told first.
  private static func history(of state: State, isOver: Bool) -> [RunEvent] {
    var events = state.reports
    if let cached = state.cached { events.append(cached) }
    if let progress = state.progress {
      events.append(.progress(received: 0, expected: nil))
      if case .progress(0, nil) = progress {} else { events.append(progress) }
    }
    // What is whole needs no looks at its parts.
    if isOver { return events }
    return events + [state.arrival, state.preview].compactMap { $0 }
  }
}
