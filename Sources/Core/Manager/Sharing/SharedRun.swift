import Synchronization

/// One run of shared work, as the work itself sees it.
final class SharedRun: Sendable {
  /// The highest priority of all who wait for the run.
  let priority: LivePriority
  let name: RunName
  /// Cancelled when the last waiting seat has left.
  let cancellation = Cancellation()
  /// This run and the runs that wait for it.
  let chain: RunChain

  private struct State {
    var wishes = WishCount()
    /// Waiting runs, whose own callers come and go.
    var runs: [ObjectIdentifier: SharedRun] = [:]
    var limits = ByteLimits()
    /// The byte count that exceeded every limit; nil while there is none.
    var refusedCount: Int?
    var listeners: [ObjectIdentifier: SerialDelivery<RunEvent>] = [:]
    var progress: RunEvent?
    var preview: RunEvent?
    var cached: RunEvent?
    var arrival: RunEvent?
    var reports: [RunEvent] = []
    var byteCount = 0
    var whenPreviewsAreWanted: [@Sendable () -> Void] = []
    /// Closures that leave the joined runs; nil after the end of the run.
    var joinedRuns: [@Sendable () -> Void]? = []
  }

  // Enough for every stage. The bound keeps a run that retries for hours from filling the memory with reports.
  private static let mostReports = 32

  private let state = Locked(State())

  /// Creates a run that was started from the chain `outer`; `turn` is the turn of the load that started it.
  init(turn: UInt64? = nil, startedIn outer: RunChain? = nil) {
    priority = LivePriority(turn: turn)
    name = RunName(number: RunNumber.next(), turn: turn)
    chain = RunChain(startedIn: outer)
  }

  /// The combined wishes of everyone who waits.
  var wish: RunWish {
    var (wish, runs) = state.withLock { ($0.wishes.wish, $0.runs) }
    for run in runs.values { wish.formUnion(run.wish) }
    return wish
  }

  /// Sends an event to the observers of everyone who waits.
  func report(_ kind: ImageEvent.Kind) { emit(.report(kind, in: name)) }

  /// Sends an event to every listener; each listener gets the events in order.
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

  /// The highest byte limit of all who wait.
  var byteLimit: Int { state.withLock { $0.limits.loosest } }

  /// True when a seat has joined since a load under this limit failed, and allows more bytes than failed.
  func allowsMore(than limit: Int) -> Bool {
    state.withLock { state in
      if let refused = state.refusedCount, refused <= state.limits.loosest { return true }
      return state.limits.loosest > limit
    }
  }

  /// Fails all seats whose own limit is below `count` bytes; the others continue.
  ///
  /// Returns the loosest limit if `count` exceeds that as well.
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

  /// Calls `body` each time a seat joins that wants previews.
  func whenPreviewsAreWanted(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenPreviewsAreWanted.append(body) }
  }

  private func previewsAreWanted() {
    for tell in state.withLock({ $0.whenPreviewsAreWanted }) { tell() }
  }

  /// Keeps a joined run until this run ends; `end` leaves it.
  func keep(_ end: @escaping @Sendable () -> Void) {
    let hasEnded = state.withLock { state in
      state.joinedRuns?.append(end)
      return state.joinedRuns == nil
    }
    if hasEnded { end() }
  }

  /// Leaves all joined runs at the end of this run.
  func endJoinedRuns() {
    for end in state.withLock({ $0.joinedRuns.take() }) ?? [] { end() }
  }

  /// Adds a seat and sends it the events so far.
  ///
  /// If the run is over, no more events will follow.
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

  /// Removes a seat that was added.
  func remove<Value>(_ seat: Seat<Value>) {
    state.withLock { state in
      if seat.run != nil { state.runs[seat.id] = nil } else { state.wishes.remove(seat.wish) }
      if seat.listener != nil { state.listeners[seat.id] = nil }
      state.limits.remove(seat.id, seat.byteLimit)
    }
  }

  /// The events that a late seat is sent first.
  private static func history(of state: State, isOver: Bool) -> [RunEvent] {
    var events = state.reports
    if let cached = state.cached { events.append(cached) }
    if let progress = state.progress {
      events.append(.progress(received: 0, expected: nil))
      if case .progress(0, nil) = progress {} else { events.append(progress) }
    }
    // A complete body needs no previews of its parts.
    if isOver { return events }
    return events + [state.arrival, state.preview].compactMap { $0 }
  }
}

/// An event of a run before its end.
enum RunEvent: Sendable {
  /// Bytes arrived; the expected length is nil while it is unknown.
  case progress(received: Int, expected: Int?)
  /// More of the body can be decoded.
  case arrived(Arrival)
  /// A preview of the picture.
  case preview(Image)
  /// The cached picture, which is being refreshed.
  case cached(Image)
  /// An event for the observers, and the run in which it happened.
  case report(ImageEvent.Kind, in: RunName)

  /// True when this event replaces an older one that is not delivered yet: pictures must not pile up for a slow
  /// listener.
  func replaces(_ older: RunEvent) -> Bool {
    switch (self, older) {
    case (.preview, .preview), (.cached, .cached): true
    default: false
    }
  }
}

/// A body that is arriving.
struct Arrival: Sendable {
  /// The bytes that have arrived.
  let received: ReceivedBytes
  /// The attempt that the bytes belong to.
  ///
  /// Anything made from the bytes of an earlier epoch is invalid.
  let epoch: Int
  /// The head that came before the body.
  let head: ResponseHead?
}

/// The number of a run, and the turn of the load that started it.
struct RunName: Hashable, Sendable {
  let number: UInt64
  let turn: UInt64?
}

/// Numbers runs uniquely within the process.
enum RunNumber {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
