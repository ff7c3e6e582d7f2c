import EaselCore

/// What a `SharedRun` knows under its lock: its stage, who waits, and what has happened so far.
struct RunState {
  enum Stage {
    /// The run is at work. The task is nil until it is known.
    case working(Task<Void, Never>?)
    /// The run has a value, which can be joined while someone holds it.
    case held(Outcome, holders: Int)
    /// The run takes no more seats.
    case closed(Outcome)
  }

  /// The way in which a seat was taken.
  struct Admission {
    /// The outcome of a run that is over already.
    var outcome: Outcome?
    let holds: Bool
    var index = 0
    var changesPriority = false
    let exceedsLimit: Bool
  }

  var stage = Stage.working(nil)
  var row = SeatRow()
  var history = RunHistory()
  var whenPreviewsAreWanted: [@Sendable () -> Void] = []
  /// Closures that leave the joined runs; nil after the end of the run.
  var joinedRuns: [@Sendable () -> Void]? = []
  /// Closures that let go of what others made from the value.
  var keptUntilClosed: [@Sendable () -> Void] = []
  /// False after the shared store failed.
  var mayAskSharedStore = true

  /// Adds a seat; returns nil when the run takes no more seats.
  mutating func admit(_ seat: Seat, at urgency: LoadPriority, holds: Bool, evenIfClosed: Bool) -> Admission? {
    var admission = Admission(holds: holds, exceedsLimit: history.byteCount > seat.byteLimit)
    switch stage {
    case .working:
      (admission.index, admission.changesPriority) = row.add(seat, holds: holds, urgency: urgency)
    case .held(let outcome, let holders):
      if holds { stage = .held(outcome, holders: holders + 1) }
      admission.outcome = outcome
    case .closed(let outcome):
      guard evenIfClosed else { return nil }
      admission.outcome = outcome
    }
    if let listener = seat.listener {
      for event in history.events(isOver: admission.outcome != nil) { listener.post(event) }
    }
    return admission
  }

  /// Ends the work; returns the seats to answer, and true if nobody holds the value.
  mutating func finish(_ outcome: Outcome) -> (seats: [SeatRow.Taken], isClosed: Bool) {
    guard case .working = stage else { return ([], false) }
    // The seats stay in the row, because the stores after the end still ask what their owners want.
    let seats = row.seats
    let holders = outcome.isValue ? seats.count { $0.holds } : 0
    stage = holders > 0 ? .held(outcome, holders: holders) : .closed(outcome)
    return (seats, holders == 0)
  }

  /// Gives up one hold on the value; returns true for the last.
  mutating func letGo() -> Bool {
    guard case .held(let outcome, let holders) = stage else { return false }
    stage = holders > 1 ? .held(outcome, holders: holders - 1) : .closed(outcome)
    return holders == 1
  }

  /// The loosest limit if `count` bytes exceed it, and the seats whose own limit is lower.
  mutating func limit(exceededBy count: Int) -> (loosest: Int?, seats: [Seat]) {
    let loosest = row.loosestLimit
    history.byteCount = count
    if loosest < count { history.refusedCount = count }
    return (loosest < count ? loosest : nil, row.seats(limitedBelow: count))
  }
}
