import Synchronization

/// One run of some work, as the work itself sees it.
final class SharedRun: Sendable {
  /// The highest priority of those who wait for it.
  let priority: LivePriority
  let name: RunName
  /// Set when the last one has left.
  let cancellation = Cancellation()
  /// Itself and those that wait for it.
  let chain: RunChain

  private struct State {
    var wishes = WishCount()
    /// The runs among those who wait, whose callers come and go.
    var runs: [ObjectIdentifier: SharedRun] = [:]
    var limits = ByteLimits()
    /// The count that was too much for all, nil while there is none.
    var refusedCount: Int?
    var listeners: [ObjectIdentifier: SerialDelivery<RunEvent>] = [:]
    var progress: RunEvent?
    var preview: RunEvent?
    var cached: RunEvent?
    var arrival: RunEvent?
    var reports: [RunEvent] = []
    var byteCount = 0
    var whenPreviewsAreWanted: [@Sendable () -> Void] = []
    /// How to leave the runs that this one has joined; nil when it has ended.
    var joinedRuns: [@Sendable () -> Void]? = []
  }

  // Enough for every stage; a run that retries for hours must not fill the memory with what it said.
  private static let mostReports = 32

  private let state = Locked(State())

  /// Creates a run that something in the chain `outer` started; `turn` is that of the load it was begun for.
  init(turn: UInt64? = nil, startedIn outer: RunChain? = nil) {
    priority = LivePriority(turn: turn)
    name = RunName(number: RunNumber.next(), turn: turn)
    chain = RunChain(startedIn: outer)
  }

  /// What those who wait want together.
  var wish: RunWish {
    var (wish, runs) = state.withLock { ($0.wishes.wish, $0.runs) }
    for run in runs.values { wish.formUnion(run.wish) }
    return wish
  }

  /// Tells the observers of everyone who waits.
  func report(_ kind: ImageEvent.Kind) { emit(.report(kind, in: name)) }

  /// Tells everyone who listens, each in the order of the events.
  func emit(_ event: RunEvent) {
    let listeners = state.withLock { state in
      switch event {
      case .progress(let received, let expected):
        state.progress = event
        if received == 0, expected == nil {
          state.byteCount = 0
          state.refusedCount = nil
        }
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

  /// The most bytes that anyone who waits allows.
  var byteLimit: Int { state.withLock { $0.limits.loosest } }

  /// Whether someone came, since a load under this limit failed, who allows more than what it failed for.
  func allowsMore(than limit: Int) -> Bool {
    state.withLock { state in
      if let refused = state.refusedCount, refused <= state.limits.loosest { return true }
      return state.limits.loosest > limit
    }
  }

  /// Fails those whose own limit is below `count` bytes; the others go on.
  ///
  /// It returns the loosest limit where that is below, too.
  func limit(exceededBy count: Int) -> Int? {
    let (limit, failures) = state.withLock { state -> (Int?, [@Sendable () -> Void]) in
      state.byteCount = count
      let loosest = state.limits.loosest
      if loosest < count { state.refusedCount = count }
      return (loosest < count ? loosest : nil, state.limits.removeThose(below: count))
    }
    for fail in failures { fail() }
    return limit
  }

  /// Calls `body` whenever someone joins who wants previews.
  func whenPreviewsAreWanted(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenPreviewsAreWanted.append(body) }
  }

  private func previewsAreWanted() {
    for tell in state.withLock({ $0.whenPreviewsAreWanted }) { tell() }
  }

  /// Keeps a run that this one has joined until this one ends.
  func keep(_ end: @escaping @Sendable () -> Void) {
    let hasEnded = state.withLock { state in
      state.joinedRuns?.append(end)
      return state.joinedRuns == nil
    }
    if hasEnded { end() }
  }

  /// Leaves all runs that this one has joined, now that it has ended.
  func endJoinedRuns() {
    for end in state.withLock({ $0.joinedRuns.take() }) ?? [] { end() }
  }

  /// Takes someone in, who is told what happened so far; where the run is over, nothing else will come.
  func add<Value>(_ seat: Seat<Value>, isOver: Bool = false) {
    if !isOver { seat.run?.whenPreviewsAreWanted { [weak self] in self?.previewsAreWanted() } }
    let listener = seat.listener.map { SerialDelivery(replacing: { $0.replaces($1) }, $0) }
    let limit = seat.byteLimit
    let exceedsLimit = state.withLock { state in
      if let listener {
        for event in Self.history(of: state, isOver: isOver) { listener.post(event) }
      }
      if !isOver { Self.count(seat, listener, in: &state) }
      return state.byteCount > limit
    }
    listener?.deliver()
    if exceedsLimit { seat.fail(with: BodySink.tooLarge(limit: limit)) }
    if seat.wish.wantsPreviews, !isOver { previewsAreWanted() }
  }

  private static func count<Value>(_ seat: Seat<Value>, _ listener: SerialDelivery<RunEvent>?, in state: inout State) {
    if let run = seat.run { state.runs[seat.id] = run } else { state.wishes.add(seat.wish) }
    if let listener { state.listeners[seat.id] = listener }
    let limit = seat.byteLimit
    if limit < .max {
      state.limits.add(seat.id, limit) { seat.fail(with: BodySink.tooLarge(limit: limit)) }
    } else {
      state.limits.addUnlimited()
    }
  }

  /// Lets someone go whom it took in.
  func remove<Value>(_ seat: Seat<Value>) {
    state.withLock { state in
      if seat.run != nil { state.runs[seat.id] = nil } else { state.wishes.remove(seat.wish) }
      if seat.listener != nil { state.listeners[seat.id] = nil }
      state.limits.remove(seat.id, seat.byteLimit)
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

/// What a run tells those who wait for it before its end.
enum RunEvent: Sendable {
  /// Bytes came; the length is nil while unknown.
  case progress(received: Int, expected: Int?)
  /// There is more of the body to look at.
  case arrived(Arrival)
  /// A part of the picture can be shown.
  case preview(Image)
  /// The picture in the cache, which is being refreshed.
  case cached(Image)
  /// Something for the observers, and the run in which it happened.
  case report(ImageEvent.Kind, in: RunName)

  /// Whether it makes one void that nobody has heard yet: pictures must not queue up before a listener that is held up.
  func replaces(_ older: RunEvent) -> Bool {
    switch (self, older) {
    case (.preview, .preview), (.cached, .cached): true
    default: false
    }
  }
}

/// A body under way.
struct Arrival: Sendable {
  /// What has come so far.
  let received: ReceivedBytes
  /// Which try it belongs to: what was seen of an earlier one is void.
  let epoch: Int
  /// What the source said before the body.
  let head: ResponseHead?
}

/// The number of a run and of the load for which it was begun.
struct RunName: Hashable, Sendable {
  let number: UInt64
  let turn: UInt64?
}

/// Numbers runs over the whole process, so that no two were ever the same.
enum RunNumber {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
