import EaselCore

/// The state of a `SharedRun`, guarded by its lock: its stage, the places in it, and its past events.
struct RunState {
  enum Stage {
    /// The run is at work. The task is nil until the run knows it.
    case working(Task<Void, Never>?)
    /// The run has a value, which can be joined while at least one place holds it.
    case held(RunOutcome, holders: Int)
    /// The run takes no more places.
    case closed(RunOutcome)
  }

  /// The result of taking a place.
  struct Admission {
    /// The outcome, if the run is already over.
    var outcome: RunOutcome?
    let holds: Bool
    var index = 0
    var changesPriority = false
    let exceedsLimit: Bool
  }

  var stage = Stage.working(nil)
  var row = RunPlaces()
  var history = RunHistory()
  var whenPreviewsAreWanted: [@Sendable () -> Void] = []
  /// Closures that leave the joined runs; nil after the end of the run.
  var joinedRuns: [@Sendable () -> Void]? = []
  /// Closures that release what other runs made from the value.
  var keptUntilClosed: [@Sendable () -> Void] = []
  /// False after the shared store failed.
  var mayAskSharedStore = true

  /// Adds a place; returns nil when the run takes no more places.
  mutating func admit(_ place: RunPlace, at urgency: LoadPriority, holds: Bool, evenIfClosed: Bool) -> Admission? {
    var admission = Admission(holds: holds, exceedsLimit: history.byteCount > place.byteLimit)
    switch stage {
    case .working:
      (admission.index, admission.changesPriority) = row.add(place, holds: holds, urgency: urgency)
    case .held(let outcome, let holders):
      if holds { stage = .held(outcome, holders: holders + 1) }
      admission.outcome = outcome
    case .closed(let outcome):
      guard evenIfClosed else { return nil }
      admission.outcome = outcome
    }
    if let listener = place.listener {
      for event in history.events(isOver: admission.outcome != nil) { listener.post(event) }
    }
    return admission
  }

  /// Ends the work; returns the places to answer, and true if nobody holds the value.
  mutating func finish(_ outcome: RunOutcome) -> (places: [RunPlaces.Taken], isClosed: Bool) {
    guard case .working = stage else { return ([], false) }
    // The places stay in the row, because the stores after the end still ask for the demands of their owners.
    let places = row.places
    let holders = outcome.isValue ? places.count { $0.holds } : 0
    stage = holders > 0 ? .held(outcome, holders: holders) : .closed(outcome)
    return (places, holders == 0)
  }

  /// Gives up one hold on the value; returns true if it was the last.
  mutating func letGo() -> Bool {
    guard case .held(let outcome, let holders) = stage else { return false }
    stage = holders > 1 ? .held(outcome, holders: holders - 1) : .closed(outcome)
    return holders == 1
  }

  /// Compares a byte count with the limits: returns the highest limit if the count exceeds it, and all places below it.
  mutating func limit(exceededBy count: Int) -> (loosest: Int?, places: [RunPlace]) {
    let loosest = row.loosestLimit
    history.byteCount = count
    if loosest < count { history.refusedCount = count }
    return (loosest < count ? loosest : nil, row.places(limitedBelow: count))
  }
}
