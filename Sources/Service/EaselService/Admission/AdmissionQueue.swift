import EaselCore

/// The rules of admission, without locks, tasks and clocks of their own.
///
/// Every function is told the time, and decides about waiters by setting their outcome. A waiter whose outcome is nil
/// waits. No place is free while somebody waits who may take it.
struct AdmissionQueue {
  private struct Lane {
    var line = AdmissionLine()
    var running = 0
    /// The share of processor time that the lane has had; under overload, the lane with the least is served first.
    var served = 0.0
    var admitted = 0
    var refused: [AdmissionRefusal.Reason: Int] = [:]
    var withdrawn = 0
  }

  private let settings: AdmissionSettings
  private var lanes: [Lane]
  private var deadlines = AdmissionHeap()
  private var running: [UInt64: AdmissionPlace] = [:]
  private var reservedRunning = 0
  private var lastNumber: UInt64 = 0
  private var lastTurn: UInt64 = 0
  // Both shrink with each piece of work, so that newer work counts more. They begin with a second that went as estimated.
  private var measuredTime = 1e9
  private var estimatedTime = 1e9
  /// The waiters that were decided about since the last call of ``takeDecided()`` and have a continuation.
  private var decided: [UnsafeContinuation<Void, Never>] = []

  init(_ settings: AdmissionSettings) {
    self.settings = settings.corrected
    lanes = AdmissionLane.allCases.map { _ in Lane() }
  }

  /// The time by which ``expire(at:)`` must be called; nil if no waiter has a deadline.
  var nextDeadline: Duration? { deadlines.first?.latestStart }

  /// The ratio of measured to estimated time.
  var pace: Double {
    min(max(measuredTime / estimatedTime, settings.paces.lowerBound), settings.paces.upperBound)
  }

  mutating func takeDecided() -> [UnsafeContinuation<Void, Never>] {
    guard !decided.isEmpty else { return [] }
    defer { decided = [] }
    return decided
  }

  // MARK: Coming and going

  mutating func arrive(_ waiter: AdmissionWaiter, at now: Duration) {
    // Withdrawn before it came.
    guard waiter.outcome == nil else { return }
    expire(at: now)
    lastTurn += 1
    waiter.turn = lastTurn
    waiter.arrival = now
    waiter.lane = settings.lane(of: waiter.cost)
    if let deadline = waiter.deadline, deadline <= now { return refuse(waiter, .tooLate, at: now) }
    if let isReserved = freePlace(for: waiter.lane) { return admit(waiter, reserved: isReserved, at: now) }
    guard makeRoom(for: waiter, at: now) else { return refuse(waiter, .queueFull, at: now) }
    if let deadline = waiter.deadline {
      waiter.latestStart = max(now, deadline - time(Double(waiter.cost.nanoseconds)))
      let ahead = isOverloaded(waiter.lane, at: now) ? 0 : lanes[waiter.lane.rawValue].line.nanoseconds
      guard now + wait(in: waiter.lane, behind: ahead, at: now) <= waiter.latestStart else {
        return refuse(waiter, .tooLate, at: now)
      }
    }
    enqueue(waiter)
    dropHopeless(in: waiter.lane, at: now)
  }

  /// Gives a place back; `isMeasured` says that the work ran to its end, so that its time tells something.
  mutating func leave(_ place: AdmissionPlace, isMeasured: Bool, at now: Duration) {
    guard running.removeValue(forKey: place.number) != nil else { return }
    lanes[place.lane.rawValue].running -= 1
    if place.isReserved { reservedRunning -= 1 }
    if isMeasured { learn(from: place, at: now) }
    expire(at: now)
    fillPlaces(at: now)
  }

  /// Takes a waiter out of the queue; it does nothing if the waiter's outcome is known.
  mutating func withdraw(_ waiter: AdmissionWaiter) {
    guard waiter.outcome == nil else { return }
    if waiter.isWaiting {
      remove(waiter)
      lanes[waiter.lane.rawValue].withdrawn += 1
    }
    decide(waiter, .withdrawn)
  }

  /// Refuses the waiters that cannot begin in time any more.
  mutating func expire(at now: Duration) {
    while let waiter = deadlines.first, waiter.latestStart < now {
      remove(waiter)
      refuse(waiter, .tooLate, at: now)
    }
  }

  func snapshot() -> AdmissionSnapshot {
    let counts = AdmissionLane.allCases.map { lane -> (AdmissionLane, AdmissionSnapshot.Lane) in
      let state = lanes[lane.rawValue]
      return (
        lane,
        AdmissionSnapshot.Lane(
          running: state.running, waiting: state.line.count, waitingNanoseconds: state.line.nanoseconds,
          admitted: state.admitted, refused: state.refused, withdrawn: state.withdrawn)
      )
    }
    return AdmissionSnapshot(lanes: Dictionary(uniqueKeysWithValues: counts), pace: pace)
  }

  // MARK: Places

  /// True for a reserved place, false for a common one, nil if the lane can have neither.
  private func freePlace(for lane: AdmissionLane) -> Bool? {
    let isCommonFree = running.count - reservedRunning < settings.places
    switch lane {
    case .normal: return isCommonFree ? false : nil
    case .avif: return isCommonFree && lanes[lane.rawValue].running < settings.avifPlaces ? false : nil
    case .cheap:
      // A common place first: the reserved ones run beside full places and slow them down.
      if isCommonFree { return false }
      return reservedRunning < settings.reservedPlaces ? true : nil
    }
  }

  private mutating func admit(_ waiter: AdmissionWaiter, reserved isReserved: Bool, at now: Duration) {
    lastNumber += 1
    let place = AdmissionPlace(
      number: lastNumber, lane: waiter.lane, isReserved: isReserved, cost: waiter.cost, begun: now)
    running[place.number] = place
    if isReserved { reservedRunning += 1 }
    lanes[waiter.lane.rawValue].running += 1
    lanes[waiter.lane.rawValue].admitted += 1
    lanes[waiter.lane.rawValue].served += Double(waiter.cost.nanoseconds)
    decide(waiter, .admitted(place))
  }

  private mutating func fillPlaces(at now: Duration) {
    while let (waiter, isReserved) = next(at: now) {
      remove(waiter)
      admit(waiter, reserved: isReserved, at: now)
    }
  }

  /// The waiter that begins now, and if its place is a reserved one.
  private func next(at now: Duration) -> (AdmissionWaiter, Bool)? {
    let ready = AdmissionLane.allCases.filter { lanes[$0.rawValue].line.count > 0 && freePlace(for: $0) != nil }
    guard let first = ready.first else { return nil }
    var lane = first
    if ready.contains(where: { isOverloaded($0, at: now) }) {
      // Lanes get equal shares of time, however many wait in each.
      for other in ready where lanes[other.rawValue].served < lanes[lane.rawValue].served { lane = other }
    } else {
      for other in ready where turn(of: other) < turn(of: lane) { lane = other }
    }
    let line = lanes[lane.rawValue].line
    guard let waiter = isOverloaded(lane, at: now) ? line.newest : line.oldest else { return nil }
    return (waiter, freePlace(for: lane) ?? false)
  }

  private func turn(of lane: AdmissionLane) -> UInt64 { lanes[lane.rawValue].line.oldest?.turn ?? .max }

  // MARK: The queue

  /// True if the oldest waiter of a lane has waited for so long that its client has probably given up.
  private func isOverloaded(_ lane: AdmissionLane, at now: Duration) -> Bool {
    lanes[lane.rawValue].line.oldest.map { now - $0.arrival > settings.targetDelay } ?? false
  }

  private mutating func enqueue(_ waiter: AdmissionWaiter) {
    let lane = waiter.lane.rawValue
    if lanes[lane].line.count == 0 {
      // A lane that was empty saves no share for later.
      let others = lanes.indices.filter { $0 != lane && lanes[$0].line.count > 0 }
      if let least = others.map({ lanes[$0].served }).min() { lanes[lane].served = max(lanes[lane].served, least) }
    }
    lanes[lane].line.add(waiter)
    if waiter.deadline != nil { deadlines.add(waiter) }
  }

  private mutating func remove(_ waiter: AdmissionWaiter) {
    lanes[waiter.lane.rawValue].line.remove(waiter)
    deadlines.remove(waiter)
  }

  /// False if the queue has no room for a waiter.
  ///
  /// Under overload, the oldest waiters make room, but never for work that alone takes half of the queue.
  private mutating func makeRoom(for waiter: AdmissionWaiter, at now: Duration) -> Bool {
    let most = settings.queueTime
    func hasRoom(_ line: AdmissionLine) -> Bool {
      guard line.count < settings.queueLength else { return false }
      return line.count == 0 || .nanoseconds(line.nanoseconds + waiter.cost.nanoseconds) <= most
    }
    if hasRoom(lanes[waiter.lane.rawValue].line) { return true }
    guard settings.queueLength > 0, waiter.cost.time * 2 <= most, isOverloaded(waiter.lane, at: now) else {
      return false
    }
    while !hasRoom(lanes[waiter.lane.rawValue].line), let oldest = lanes[waiter.lane.rawValue].line.oldest {
      remove(oldest)
      refuse(oldest, .queueFull, at: now)
    }
    return true
  }

  /// Under overload, refuses the oldest waiters if all who came later leave them no time.
  private mutating func dropHopeless(in lane: AdmissionLane, at now: Duration) {
    while isOverloaded(lane, at: now), let oldest = lanes[lane.rawValue].line.oldest, oldest.deadline != nil {
      let ahead = lanes[lane.rawValue].line.nanoseconds - oldest.cost.nanoseconds
      guard now + wait(in: lane, behind: ahead, at: now) > oldest.latestStart else { return }
      remove(oldest)
      refuse(oldest, .tooLate, at: now)
    }
  }

  private mutating func refuse(_ waiter: AdmissionWaiter, _ reason: AdmissionRefusal.Reason, at now: Duration) {
    lanes[waiter.lane.rawValue].refused[reason, default: 0] += 1
    let wait = wait(in: waiter.lane, behind: lanes[waiter.lane.rawValue].line.nanoseconds, at: now)
    let seconds = Int(min(wait / .seconds(1), Self.longestRetry).rounded(.up))
    decide(waiter, .refused(AdmissionRefusal(reason: reason, retryAfter: max(1, seconds))))
  }

  private static let longestRetry = 60.0

  private mutating func decide(_ waiter: AdmissionWaiter, _ outcome: AdmissionWaiter.Outcome) {
    waiter.outcome = outcome
    if let continuation = waiter.continuation { decided.append(continuation) }
    waiter.continuation = nil
  }

  // MARK: Estimates

  /// The time until a place is free for a waiter of a lane behind this much other work.
  private func wait(in lane: AdmissionLane, behind nanoseconds: Int, at now: Duration) -> Duration {
    let left = running.values.reduce(0.0) { sum, place in
      sum + max(0, Double(place.cost.nanoseconds) * pace - (now - place.begun) / .nanoseconds(1))
    }
    let waitingLanes = AdmissionLane.allCases.count { $0 != lane && lanes[$0.rawValue].line.count > 0 } + 1
    var places = Double(settings.places) / Double(waitingLanes)
    switch lane {
    case .cheap: places += Double(settings.reservedPlaces)
    case .avif: places = min(places, Double(settings.avifPlaces))
    case .normal: break
    }
    let total = left / Double(max(1, running.count)) / Double(settings.places) + Double(nanoseconds) * pace / places
    return .nanoseconds(min(total, Self.longestWait))
  }

  private static let longestWait = 86_400e9

  private func time(_ nanoseconds: Double) -> Duration { .nanoseconds(min(nanoseconds * pace, Self.longestWait)) }

  private mutating func learn(from place: AdmissionPlace, at now: Duration) {
    measuredTime = measuredTime * Self.memory + (now - place.begun) / .nanoseconds(1)
    estimatedTime = estimatedTime * Self.memory + Double(place.cost.nanoseconds)
  }

  /// The weight of older work; the last fifty pieces decide.
  private static let memory = 0.98
}
