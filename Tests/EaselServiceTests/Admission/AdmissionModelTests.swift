import EaselCore
import EaselTestSupport
import Testing

@testable import EaselService

/// Random arrivals and departures, compared with rules that a list can check.
struct AdmissionModelTests {
  private func settings(_ random: inout SeededRandom) -> AdmissionSettings {
    var settings = AdmissionSettings(processors: Int.random(in: 1...6, using: &random))
    settings.reservedPlaces = Int.random(in: 0...2, using: &random)
    settings.avifPlaces = Int.random(in: 1...settings.places, using: &random)
    settings.heavyPlaces = Int.random(in: 1...settings.places, using: &random)
    settings.queueLength = Int.random(in: 0...20, using: &random)
    settings.patience = .milliseconds(Int.random(in: 1...5000, using: &random))
    return settings
  }

  @Test(arguments: 0..<30)
  func nobodyIsLostAndNoLimitIsExceeded(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let settings = settings(&random)
    var queue = AdmissionQueue(settings)
    var now = Duration.zero
    var all: [AdmissionWaiter] = []
    var left: Set<UInt64> = []
    var outcomes: [ObjectIdentifier: Int] = [:]
    var refusedOnArrival = 0
    func places() -> [AdmissionPlace] {
      all.compactMap { waiter in
        if case .admitted(let place) = waiter.outcome, !left.contains(place.number) { place } else { nil }
      }
    }
    let clients = (0..<Int.random(in: 1...8, using: &random)).map { AdmissionClient(named: "\($0)") }
    for _ in 0..<250 {
      now += .milliseconds(Int.random(in: 0...40, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let waiter = AdmissionWaiter(
          WorkCost(
            nanoseconds: Int.random(in: 1...200_000_000, using: &random), encodesAVIF: Bool.random(using: &random),
            isHeavy: Int.random(in: 0..<4, using: &random) == 0),
          client: clients[Int.random(in: 0..<clients.count, using: &random)],
          deadline: Bool.random(using: &random) ? now + .milliseconds(Int.random(in: -10...2000, using: &random)) : nil)
        all.append(waiter)
        queue.arrive(waiter, at: now)
        if case .refused = waiter.outcome { refusedOnArrival += 1 }
      case 5..<8:
        if let place = places().randomElement(using: &random) {
          queue.leave(place, isMeasured: Bool.random(using: &random), at: now)
          left.insert(place.number)
        }
      case 8:
        if let waiter = all.randomElement(using: &random) { queue.withdraw(waiter) }
      default:
        if let waiter = all.randomElement(using: &random), let client = clients.randomElement(using: &random) {
          queue.join(client, waiter)
        }
      }
      check(queue, settings, all, places(), now)
      // An outcome never changes.
      for waiter in all {
        guard let outcome = waiter.outcome else { continue }
        let kind =
          switch outcome {
          case .admitted(let place): Int(place.number)
          case .refused(let refusal): -1 - refusal.reason.rawValue
          case .withdrawn: -10
          }
        let before = outcomes.updateValue(kind, forKey: ObjectIdentifier(waiter))
        if let before, before != kind { Issue.record("An outcome changed from \(before) to \(kind).") }
      }
    }
    // When everybody has left, everybody has an outcome.
    while let place = places().first {
      queue.leave(place, isMeasured: false, at: now)
      left.insert(place.number)
    }
    #expect(all.allSatisfy { $0.outcome != nil })
    #expect(all.count { if case .refused = $0.outcome { true } else { false } } == refusedOnArrival)
    let end = queue.snapshot()
    #expect(end.running == 0 && end.waiting == 0 && end.waitingPixels == 0 && end.waitingClients == 0)
  }

  private func check(
    _ queue: AdmissionQueue, _ settings: AdmissionSettings, _ all: [AdmissionWaiter], _ places: [AdmissionPlace],
    _ now: Duration
  ) {
    let waiting = all.filter { $0.outcome == nil }
    let common = places.count { !$0.isReserved }
    #expect(common <= settings.places)
    #expect(places.count { $0.isReserved } <= settings.reservedPlaces)
    #expect(places.allSatisfy { !$0.isReserved || $0.lane == .cheap })
    let most = [AdmissionLane.avif: settings.avifPlaces, .heavy: settings.heavyPlaces]
    for (lane, most) in most { #expect(places.count { $0.lane == lane } <= most) }
    // No place is free while somebody waits who may take it.
    if common < settings.places {
      for waiter in waiting { #expect(places.count { $0.lane == waiter.lane } == most[waiter.lane]) }
    }
    let snapshot = queue.snapshot()
    for lane in AdmissionLane.allCases {
      let line = waiting.filter { $0.lane == lane }
      let counts = snapshot.lanes[lane] ?? .init()
      #expect(line.count <= settings.queueLength)
      #expect(counts.waiting == line.count)
      #expect(counts.waitingNanoseconds == line.reduce(0) { $0 + $1.cost.nanoseconds })
      #expect(counts.running == places.count { $0.lane == lane })
      #expect(counts.admitted == all.count { if case .admitted = $0.outcome { $0.lane == lane } else { false } })
      let refused = all.count { if case .refused = $0.outcome { $0.lane == lane } else { false } }
      #expect(counts.refused.values.reduce(0, +) == refused)
    }
    #expect(snapshot.waitingClients == Set(waiting.map(\.client)).count)
  }

  /// The order of one client's work is that of a list.
  @Test(arguments: 0..<25)
  func forOneClientTheOrderIsThatOfAList(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(1000 + seed))
    var settings = settings(&random)
    settings.queueLength = 1000
    settings.patience = .seconds(100_000)
    var queue = AdmissionQueue(settings)
    var line: [AdmissionWaiter] = []
    var running: [AdmissionWaiter] = []
    var reserved: Set<ObjectIdentifier> = []

    func lane(_ waiter: AdmissionWaiter) -> AdmissionLane { settings.lane(of: waiter.cost) }
    /// Admits from the list by the rules of lanes.
    func admitFromList() {
      while true {
        let common = running.count { !reserved.contains(ObjectIdentifier($0)) }
        let index = line.firstIndex { waiter in
          switch lane(waiter) {
          case .normal: common < settings.places
          case .avif: common < settings.places && running.count { lane($0) == .avif } < settings.avifPlaces
          case .heavy: common < settings.places && running.count { lane($0) == .heavy } < settings.heavyPlaces
          case .cheap: common < settings.places || reserved.count < settings.reservedPlaces
          }
        }
        guard let index else { return }
        let waiter = line.remove(at: index)
        if common >= settings.places { reserved.insert(ObjectIdentifier(waiter)) }
        running.append(waiter)
      }
    }
    for _ in 0..<300 {
      if Int.random(in: 0..<5, using: &random) < 3 {
        let waiter = AdmissionWaiter(
          WorkCost(
            nanoseconds: Int.random(in: 1...60_000_000, using: &random), encodesAVIF: Bool.random(using: &random),
            isHeavy: Int.random(in: 0..<4, using: &random) == 0),
          deadline: nil)
        line.append(waiter)
        admitFromList()
        queue.arrive(waiter, at: .zero)
      } else if let index = running.indices.randomElement(using: &random),
        case .admitted(let place) = running[index].outcome
      {
        reserved.remove(ObjectIdentifier(running.remove(at: index)))
        admitFromList()
        queue.leave(place, isMeasured: false, at: .zero)
      }
      #expect(line.allSatisfy { $0.outcome == nil })
      #expect(running.allSatisfy { if case .admitted = $0.outcome { true } else { false } })
    }
  }
}
