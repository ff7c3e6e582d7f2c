import EaselCore

/// The rules of admission, without locks, tasks and clocks of their own.
///
/// Every function is told the time, and decides about waiters by setting their outcome. A waiter whose outcome is nil
/// waits. No place is free while somebody waits who may take it, and whoever waits is served unless he withdraws.
///
/// Clients get equal shares of time: a waiter's place in the order is the time that its client will have had when it
/// begins, plus a part of its own cost, so that little work goes before much. The work of one client keeps its order.
/// Nobody waits for much longer than in plain order of arrival: each waiter has a time by which it begins, and another
/// one may pass only if all whom it passes still begin in time.
///
/// Work of the background stands in a line of its own, which moves only while nobody else waits, and never has more than
/// half of the places.
struct AdmissionQueue {
  private struct Lane {
    /// The waiters by their tags.
    var order = AdmissionHeap()
    /// The cost of the waiting work.
    var nanoseconds = 0
    var running = 0
    var admitted = 0
    var refused: [AdmissionRefusal.Reason: Int] = [:]
    var withdrawn = 0
  }

  /// The state of a client, which is kept while something waits for it.
  private struct Client {
    var waiting = 0
    var nanoseconds = 0
    /// The time that it will have had when all that waits for it is done.
    var time = 0.0
  }

  private var settings: AdmissionSettings
  private var lanes: [Lane]
  private var line = AdmissionLine()
  private var background = AdmissionLine()
  private var backgroundCount = 0
  private var backgroundRunning: Set<UInt64> = []
  private var clients: [AdmissionClient: Client] = [:]
  /// The time that each client has had so far, as if all of them had waited from the beginning.
  private var evenTime = 0.0
  private var running: [UInt64: AdmissionPlace] = [:]
  private var reservedRunning = 0
  private var lastNumber: UInt64 = 0
  private var lastTurn: UInt64 = 0
  // Both shrink with each piece of work, so that newer work counts more. They begin with work that went as estimated.
  private var measuredTime = Self.trustInEstimates
  private var estimatedTime = Self.trustInEstimates
  /// The waiters that were decided about since the last call of ``takeDecided()`` and have a continuation.
  private var decided: [UnsafeContinuation<Void, Never>] = []

  /// Nobody begins later than after so many times the wait in plain order of arrival.
  private static let ageing = 3.0
  /// The part of the patience for which somebody who is let in would wait in plain order of arrival.
  ///
  /// It is the same for little and for much work, or little work would always take what is left.
  private static let mostPatience = 0.8
  /// The part of it in which work is done, also if others pass; the rest is for estimates that are wrong.
  private static let usedPatience = 0.9
  /// How much the cost of work counts against its arrival.
  ///
  /// With more, dear work would wait for all cheap work that comes later, and pile up.
  private static let weightOfCost = 0.125
  /// The time that counts for the estimates before anything was measured.
  private static let trustInEstimates = 0.2e9

  init(_ settings: AdmissionSettings) {
    self.settings = settings.corrected
    lanes = AdmissionLane.allCases.map { _ in Lane() }
  }

  /// The ratio of measured to estimated time.
  var pace: Double {
    min(max(measuredTime / estimatedTime, settings.paces.lowerBound), settings.paces.upperBound)
  }

  /// Takes other limits; who waits is served all the same.
  mutating func follow(_ settings: AdmissionSettings, at now: Duration) {
    self.settings = settings.corrected
    fillPlaces(at: now)
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
    lastTurn += 1
    waiter.turn = lastTurn
    waiter.arrival = now
    waiter.lane = settings.lane(of: waiter.cost)
    if let deadline = waiter.deadline, deadline <= now { return refuse(waiter, .tooLate, at: now) }
    if waiter.client == .background { return arriveBehind(waiter, at: now) }
    if let isReserved = freePlace(for: waiter.lane) { return admit(waiter, reserved: isReserved, at: now) }
    let wait = wait(in: waiter.lane, at: now)
    if let reason = reasonToRefuse(waiter, waitingFor: wait) { return refuse(waiter, reason, at: now) }
    waiter.due = now + min(wait * Self.ageing, longestWait(of: waiter))
    line.add(waiter)
    lanes[waiter.lane.rawValue].nanoseconds += waiter.cost.nanoseconds
    charge(waiter)
  }

  /// Refuses work if it would not be let in now; otherwise does nothing.
  mutating func turnAway(_ waiter: AdmissionWaiter, at now: Duration) {
    waiter.arrival = now
    waiter.lane = settings.lane(of: waiter.cost)
    guard waiter.client != .background, freePlace(for: waiter.lane) == nil,
      let reason = reasonToRefuse(waiter, waitingFor: wait(in: waiter.lane, at: now))
    else { return }
    refuse(waiter, reason, at: now)
  }

  /// The reason to refuse work for which there is no place now; nil if it may wait.
  private func reasonToRefuse(
    _ waiter: AdmissionWaiter, waitingFor wait: Duration
  ) -> AdmissionRefusal.Reason? {
    guard lanes[waiter.lane.rawValue].order.count < settings.queueLength else { return .queueFull }
    let most = settings.patience * Self.mostPatience
    guard wait <= min(most, longestWait(of: waiter)) else { return .tooLate }
    // One client has at most as much waiting as there is room left, so that another one always finds room.
    return ownTime(of: waiter.client) <= most - wait ? nil : .queueFull
  }

  /// Lets another client wait for the same work, which then goes as early as if that client had asked first.
  mutating func join(_ client: AdmissionClient, _ waiter: AdmissionWaiter, at now: Duration = .zero) {
    guard waiter.isWaiting, client != .background else { return }
    if waiter.client == .background {
      removeFromBackground(waiter)
      waiter.client = client
      waiter.due = waiter.arrival + settings.patience
      line.add(waiter)
      lanes[waiter.lane.rawValue].nanoseconds += waiter.cost.nanoseconds
      charge(waiter)
      return fillPlaces(at: now)
    }
    guard start(of: client) < waiter.start else { return }
    discharge(waiter)
    waiter.client = client
    charge(waiter)
  }

  /// Gives a place back; `isMeasured` says that the work ran to its end, so that its time tells something.
  mutating func leave(_ place: AdmissionPlace, isMeasured: Bool, at now: Duration) {
    guard running.removeValue(forKey: place.number) != nil else { return }
    lanes[place.lane.rawValue].running -= 1
    backgroundRunning.remove(place.number)
    if place.isReserved { reservedRunning -= 1 }
    // The time of heavy work is a guess, which tells nothing about that of other work.
    if isMeasured, place.lane != .heavy { learn(from: place, at: now) }
    fillPlaces(at: now)
  }

  /// Takes a waiter out of the queue; it does nothing if the waiter's outcome is known.
  mutating func withdraw(_ waiter: AdmissionWaiter) {
    guard waiter.outcome == nil else { return }
    if waiter.isWaiting {
      if waiter.client == .background { removeFromBackground(waiter) } else { remove(waiter) }
      lanes[waiter.lane.rawValue].withdrawn += 1
    }
    decide(waiter, .withdrawn)
  }

  func snapshot() -> AdmissionSnapshot {
    let counts = AdmissionLane.allCases.map { lane -> (AdmissionLane, AdmissionSnapshot.Lane) in
      let state = lanes[lane.rawValue]
      return (
        lane,
        AdmissionSnapshot.Lane(
          running: state.running, waiting: state.order.count, waitingNanoseconds: state.nanoseconds,
          admitted: state.admitted, refused: state.refused, withdrawn: state.withdrawn)
      )
    }
    return AdmissionSnapshot(
      lanes: Dictionary(uniqueKeysWithValues: counts), pace: pace, waitingClients: clients.count)
  }

  // MARK: Places

  /// True for a reserved place, false for a common one, nil if the lane can have neither.
  private func freePlace(for lane: AdmissionLane) -> Bool? {
    let isCommonFree = running.count - reservedRunning < settings.places
    switch lane {
    case .normal: return isCommonFree ? false : nil
    case .avif: return isCommonFree && lanes[lane.rawValue].running < settings.avifPlaces ? false : nil
    case .heavy: return isCommonFree && lanes[lane.rawValue].running < settings.heavyPlaces ? false : nil
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
    decide(waiter, .admitted(place))
  }

  private mutating func fillPlaces(at now: Duration) {
    while let (waiter, isReserved) = takeNext(at: now) { admit(waiter, reserved: isReserved, at: now) }
    admitFromBackground(at: now)
  }

  // MARK: The background

  private mutating func arriveBehind(_ waiter: AdmissionWaiter, at now: Duration) {
    guard backgroundCount < settings.queueLength else { return refuse(waiter, .queueFull, at: now) }
    background.add(waiter)
    backgroundCount += 1
    admitFromBackground(at: now)
  }

  private mutating func removeFromBackground(_ waiter: AdmissionWaiter) {
    background.remove(waiter)
    backgroundCount -= 1
  }

  private mutating func admitFromBackground(at now: Duration) {
    guard backgroundCount > 0, lanes.allSatisfy({ $0.order.count == 0 }) else { return }
    for waiter in background where backgroundRunning.count < max(1, settings.places / 2) {
      // Reserved places stay free for those who come.
      guard freePlace(for: waiter.lane) == false else { continue }
      removeFromBackground(waiter)
      admit(waiter, reserved: false, at: now)
      backgroundRunning.insert(lastNumber)
    }
  }

  /// Removes the waiter that begins now, and tells if its place is a reserved one.
  private mutating func takeNext(at now: Duration) -> (AdmissionWaiter, Bool)? {
    let places = AdmissionLane.allCases.map { lanes[$0.rawValue].order.count > 0 ? freePlace(for: $0) : nil }
    let lowest = AdmissionLane.allCases.filter { places[$0.rawValue] != nil }
      .compactMap { lanes[$0.rawValue].order.first }.min(by: AdmissionHeap.precedes)
    guard let lowest else { return nil }
    let next = firstOfAll(insteadOf: lowest, at: now, places)
    let isReserved = places[next.lane.rawValue] ?? false
    // Work on a reserved place may be far ahead of its turn, and must not put those behind who come later.
    if !isReserved { evenTime = max(evenTime, lowest.start) }
    evenTime += Double(next.cost.nanoseconds) / Double(clients.count)
    remove(next)
    return (next, isReserved)
  }

  /// The waiter that came first, if a candidate would make one of those late that it passes; else the candidate.
  ///
  /// `places` are those that each lane can have.
  private func firstOfAll(
    insteadOf candidate: AdmissionWaiter, at now: Duration, _ places: [Bool?]
  ) -> AdmissionWaiter {
    let pace = pace
    var first: AdmissionWaiter?
    var forecast = forecast(at: now)
    forecast.add(Double(candidate.cost.nanoseconds) * pace, in: candidate.lane)
    for waiter in line where places[waiter.lane.rawValue] != nil {
      guard waiter !== candidate else { break }
      first = first ?? waiter
      guard now + forecast.wait(in: waiter.lane) <= waiter.due else { return first ?? candidate }
      forecast.add(Double(waiter.cost.nanoseconds) * pace, in: waiter.lane)
    }
    return candidate
  }

  // MARK: Clients

  /// The time that a client will have had when its next waiter begins.
  private func start(of client: AdmissionClient) -> Double { max(evenTime, clients[client]?.time ?? 0) }

  /// Puts a waiter into the order of its client.
  private mutating func charge(_ waiter: AdmissionWaiter) {
    waiter.start = start(of: waiter.client)
    waiter.tag = waiter.start + Double(waiter.cost.nanoseconds) * Self.weightOfCost
    var client = clients[waiter.client] ?? Client()
    client.waiting += 1
    client.nanoseconds += waiter.cost.nanoseconds
    client.time = waiter.start + Double(waiter.cost.nanoseconds)
    clients[waiter.client] = client
    lanes[waiter.lane.rawValue].order.add(waiter)
  }

  private mutating func discharge(_ waiter: AdmissionWaiter) {
    lanes[waiter.lane.rawValue].order.remove(waiter)
    clients[waiter.client]?.waiting -= 1
    clients[waiter.client]?.nanoseconds -= waiter.cost.nanoseconds
    // A client that comes back has neither saved nor owed anything.
    if clients[waiter.client]?.waiting == 0 { clients[waiter.client] = nil }
    if clients.isEmpty { evenTime = 0 }
  }

  private mutating func remove(_ waiter: AdmissionWaiter) {
    line.remove(waiter)
    lanes[waiter.lane.rawValue].nanoseconds -= waiter.cost.nanoseconds
    discharge(waiter)
  }

  /// The time in which the work that waits for one client could be done.
  private func ownTime(of client: AdmissionClient) -> Duration {
    time(Double(clients[client]?.nanoseconds ?? 0) / Double(settings.places))
  }

  // MARK: Decisions

  private mutating func refuse(_ waiter: AdmissionWaiter, _ reason: AdmissionRefusal.Reason, at now: Duration) {
    lanes[waiter.lane.rawValue].refused[reason, default: 0] += 1
    decide(waiter, .refused(AdmissionRefusal(reason: reason, wait: wait(in: waiter.lane, at: now))))
  }

  private mutating func decide(_ waiter: AdmissionWaiter, _ outcome: AdmissionOutcome) {
    waiter.outcome = outcome
    if let continuation = waiter.continuation { decided.append(continuation) }
    waiter.continuation = nil
  }

  // MARK: Estimates

  /// The longest wait after which a waiter is still done in time.
  ///
  /// Work that takes most of the patience by itself may wait for a quarter of it, or a busy server would never do it.
  private func longestWait(of waiter: AdmissionWaiter) -> Duration {
    let time = time(Double(waiter.cost.nanoseconds))
    let longest = max(settings.patience * Self.usedPatience - time, settings.patience / 4)
    return waiter.deadline.map { min(longest, $0 - waiter.arrival - time) } ?? longest
  }

  /// The time until a place is free for a waiter who comes now, in plain order of arrival.
  private func wait(in lane: AdmissionLane, at now: Duration) -> Duration {
    var forecast = forecast(at: now)
    for other in AdmissionLane.allCases {
      forecast.add(Double(lanes[other.rawValue].nanoseconds) * pace, in: other)
    }
    return forecast.wait(in: lane)
  }

  /// The places that running work leaves.
  private func forecast(at now: Duration) -> AdmissionForecast {
    AdmissionForecast(settings, running: running.values.map { ($0, timeLeft($0, at: now)) })
  }

  /// The time that running work still takes; the longer it has taken more than was estimated, the longer.
  private func timeLeft(_ place: AdmissionPlace, at now: Duration) -> Double {
    let taken = (now - place.begun) / .nanoseconds(1)
    return max(Double(place.cost.nanoseconds) * pace - taken, taken / 4)
  }

  private func time(_ nanoseconds: Double) -> Duration {
    .nanoseconds(min(nanoseconds * pace, AdmissionForecast.longest))
  }

  private mutating func learn(from place: AdmissionPlace, at now: Duration) {
    measuredTime = measuredTime * Self.memory + (now - place.begun) / .nanoseconds(1)
    estimatedTime = estimatedTime * Self.memory + Double(place.cost.nanoseconds)
  }

  /// The weight of older work; the last fifty pieces decide.
  private static let memory = 0.98
}
