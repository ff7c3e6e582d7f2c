import EaselCore

@testable import EaselService

/// A queue whose time a test moves, with waiters that have names.
struct QueueBench {
  var queue: AdmissionQueue
  var now = Duration.zero
  private(set) var waiters: [String: AdmissionWaiter] = [:]
  /// The names in the order in which they were admitted.
  private(set) var admitted: [String] = []
  private var undecided: [String] = []

  init(_ change: (inout AdmissionSettings) -> Void = { _ in }) {
    // Estimates stay as they are, unless a test is about them.
    var settings = AdmissionSettings(processors: 1)
    settings.paces = 1...1
    settings.patience = .seconds(5)
    change(&settings)
    queue = AdmissionQueue(settings)
  }

  /// Adds a waiter with a cost in milliseconds and a deadline in milliseconds from now.
  ///
  /// Without a client, each waiter has one of its own.
  @discardableResult
  mutating func arrive(
    _ name: String, _ milliseconds: Int = 50, avif: Bool = false, heavy: Bool = false, of client: String? = nil,
    within deadline: Int? = nil
  ) -> State {
    let waiter = AdmissionWaiter(
      WorkCost(nanoseconds: milliseconds * 1_000_000, encodesAVIF: avif, isHeavy: heavy),
      client: AdmissionClient(named: client ?? name), deadline: deadline.map { now + .milliseconds($0) })
    waiters[name] = waiter
    undecided.append(name)
    queue.arrive(waiter, at: now)
    noteAdmitted()
    return state(name)
  }

  /// Tells what would be said to work of a client of its own.
  mutating func turnAway(_ milliseconds: Int) -> State {
    let waiter = AdmissionWaiter(
      WorkCost(nanoseconds: milliseconds * 1_000_000), client: AdmissionClient(named: "stranger"), deadline: nil)
    queue.turnAway(waiter, at: now)
    if case .refused(let refusal) = waiter.outcome { return .refused(refusal.reason) }
    return .waiting
  }

  /// Adds a waiter of the background.
  mutating func arriveBehind(_ name: String, _ milliseconds: Int = 50) -> State {
    let waiter = AdmissionWaiter(
      WorkCost(nanoseconds: milliseconds * 1_000_000, encodesAVIF: false), client: .background, deadline: nil)
    waiters[name] = waiter
    undecided.append(name)
    queue.arrive(waiter, at: now)
    noteAdmitted()
    return state(name)
  }

  mutating func leave(_ name: String, isMeasured: Bool = true) {
    guard case .admitted(let place) = waiters[name]?.outcome else { return }
    queue.leave(place, isMeasured: isMeasured, at: now)
    noteAdmitted()
  }

  /// Lets the work that was admitted last run for a time, again and again, until nobody waits.
  mutating func finishAll(_ milliseconds: (String) -> Int) {
    while let name = admitted.last {
      let count = admitted.count
      advance(milliseconds(name))
      leave(name)
      guard admitted.count > count else { return }
    }
  }

  mutating func join(_ client: String, _ name: String) {
    if let waiter = waiters[name] { queue.join(AdmissionClient(named: client), waiter) }
  }

  mutating func withdraw(_ name: String) {
    if let waiter = waiters[name] { queue.withdraw(waiter) }
  }

  mutating func advance(_ milliseconds: Int) { now += .milliseconds(milliseconds) }

  enum State: Equatable {
    case waiting
    case admitted
    case refused(AdmissionRefusal.Reason)
    case withdrawn
  }

  func state(_ name: String) -> State {
    switch waiters[name]?.outcome {
    case nil: .waiting
    case .admitted: .admitted
    case .refused(let refusal): .refused(refusal.reason)
    case .withdrawn: .withdrawn
    }
  }

  func refusal(_ name: String) -> AdmissionRefusal? {
    if case .refused(let refusal) = waiters[name]?.outcome { refusal } else { nil }
  }

  func lane(_ lane: AdmissionLane) -> AdmissionSnapshot.Lane { queue.snapshot().lanes[lane] ?? .init() }

  private mutating func noteAdmitted() {
    var new: [(number: UInt64, name: String)] = []
    undecided.removeAll { name in
      switch waiters[name]?.outcome {
      case nil: return false
      case .admitted(let place): new.append((place.number, name))
      case .refused, .withdrawn: break
      }
      return true
    }
    admitted += new.sorted { $0.number < $1.number }.map(\.name)
  }
}
