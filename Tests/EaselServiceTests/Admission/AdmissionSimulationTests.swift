import EaselCore
import EaselTestSupport
import Testing

@testable import EaselService

/// A server with a known capacity under a known load, in time that only the simulation moves.
struct AdmissionSimulationTests {
  struct Result {
    var arrived = 0
    var refused = 0
    /// The processor time of work that was ready by its deadline, and of all work that was done.
    var good = Duration.zero
    var done = Duration.zero
    var waits: [AdmissionLane: [Duration]] = [:]
    var end = Duration.zero

    func wait(_ lane: AdmissionLane, share: Double) -> Duration {
      let sorted = (waits[lane] ?? []).sorted()
      return sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
  }

  private struct Running {
    let place: AdmissionPlace
    let deadline: Duration?
    /// The processor time that it takes in all, and what is left of it.
    let took: Duration
    var left: Duration
  }

  private struct Kind {
    let weight: Int
    let milliseconds: ClosedRange<Int>
    let isAVIF: Bool
  }

  /// Mostly thumbnails, some large pictures, few AVIF.
  private static let mixture = [
    Kind(weight: 60, milliseconds: 4...15, isAVIF: false), Kind(weight: 35, milliseconds: 25...200, isAVIF: false),
    Kind(weight: 5, milliseconds: 100...600, isAVIF: true),
  ]

  /// Runs a load of `share` times the capacity for 25 seconds of simulated time.
  ///
  /// Work takes 0.6 to 1.6 times its estimate, times `slowness`. If more work runs than there are processors, because of
  /// the reserved places, all of it runs more slowly.
  private func run(
    share: Double, processors: Int = 4, patience: Int? = 2000, slowness: Double = 1, seed: UInt64 = 1
  ) -> Result {
    var random = SeededRandom(seed: seed)
    let settings = AdmissionSettings(processors: processors)
    var queue = AdmissionQueue(settings)
    let mean = Self.mixture.reduce(0.0) { sum, kind in
      sum + Double(kind.weight) * Double(kind.milliseconds.lowerBound + kind.milliseconds.upperBound) / 200
    }
    // 1.1 is the mean of the ratio of real to estimated time.
    let gap = mean * 1.1 * slowness / Double(processors) / share
    var result = Result()
    var now = Duration.zero
    var nextArrival = Duration.zero
    var running: [Running] = []
    var waiting: [AdmissionWaiter] = []
    let length = Duration.seconds(25)
    while now < length {
      let speed = min(1, Double(processors) / Double(max(1, running.count)))
      let first = running.min { $0.left < $1.left }
      let end = first.map { now + $0.left / speed } ?? .longest
      let next = min(end, nextArrival)
      for index in running.indices { running[index].left -= (next - now) * speed }
      now = next
      if let first, end <= nextArrival {
        running.removeAll { $0.place == first.place }
        queue.leave(first.place, isMeasured: true, at: now)
        result.done += first.took
        if first.deadline.map({ now <= $0 }) ?? true { result.good += first.took }
      } else {
        nextArrival += .microseconds(Int(Double.random(in: 0...2, using: &random) * gap * 1000))
        var pick = Int.random(in: 0..<100, using: &random)
        let kind =
          Self.mixture.first {
            pick -= $0.weight
            return pick < 0
          } ?? Self.mixture[0]
        let cost = WorkCost(
          nanoseconds: Int.random(in: kind.milliseconds, using: &random) * 1_000_000, encodesAVIF: kind.isAVIF)
        let waiter = AdmissionWaiter(cost, deadline: patience.map { now + .milliseconds($0) })
        result.arrived += 1
        queue.arrive(waiter, at: now)
        waiting.append(waiter)
      }
      waiting.removeAll { waiter in
        switch waiter.outcome {
        case nil: return false
        case .admitted(let place):
          let took = waiter.cost.time * Double.random(in: 0.6...1.6, using: &random) * slowness
          running.append(Running(place: place, deadline: waiter.deadline, took: took, left: took))
          result.waits[place.lane, default: []].append(now - waiter.arrival)
          return true
        default:
          result.refused += 1
          return true
        }
      }
    }
    result.end = now
    return result
  }

  private func capacity(_ result: Result, processors: Int = 4) -> Duration { result.end * Double(processors) }

  @Test(arguments: [UInt64](1...2))
  func underHalfOfTheCapacityNobodyIsRefused(_ seed: UInt64) {
    let result = run(share: 0.5, seed: seed)
    #expect(result.refused == 0 && result.arrived > 700)
    #expect(result.wait(.cheap, share: 0.99) < .milliseconds(30))
    #expect(result.wait(.normal, share: 0.5) < .milliseconds(20))
  }

  @Test(arguments: [UInt64](1...2))
  func closeToTheCapacityHardlyAnybodyIsRefused(_ seed: UInt64) {
    let result = run(share: 0.85, seed: seed)
    #expect(Double(result.refused) < 0.02 * Double(result.arrived), "\(result.refused) of \(result.arrived)")
    #expect(result.good / result.done > 0.98)
  }

  @Test(arguments: [UInt64](1...3))
  func atThreeTimesTheCapacityTheWorkThatIsDoneIsInTime(_ seed: UInt64) {
    let result = run(share: 3, seed: seed)
    let goodput = result.good / capacity(result)
    #expect(goodput >= 0.9, "\(goodput)")
    #expect(result.good / result.done >= 0.97)
  }

  @Test(arguments: [UInt64](1...2))
  func atThreeTimesTheCapacityWhoIsServedHasHardlyWaited(_ seed: UInt64) {
    let result = run(share: 3, seed: seed)
    for lane in AdmissionLane.allCases {
      #expect(result.wait(lane, share: 0.5) < .milliseconds(150), "\(lane) \(result.wait(lane, share: 0.5))")
      #expect(result.wait(lane, share: 0.99) < .seconds(2))
    }
  }

  @Test(arguments: [UInt64](1...2))
  func cheapWorkIsUnharmedByDearWork(_ seed: UInt64) {
    // Twice the capacity, of which cheap work is a tenth.
    let result = run(share: 2, seed: seed)
    #expect(result.wait(.cheap, share: 0.9) < .milliseconds(100), "\(result.wait(.cheap, share: 0.9))")
  }

  /// A machine half as fast as the one of the factors; the pace is learned.
  @Test func aSlowMachineKeepsItsGoodput() {
    let result = run(share: 3, slowness: 2.2, seed: 9)
    #expect(result.good / capacity(result) >= 0.88, "\(result.good / capacity(result))")
  }

  @Test func aFastMachineRefusesNobodyItCouldServe() {
    let result = run(share: 0.8, slowness: 0.3, seed: 9)
    #expect(Double(result.refused) < 0.02 * Double(result.arrived))
  }

  @Test func oneProcessorServesAllLanes() {
    let result = run(share: 3, processors: 1, seed: 4)
    for lane in AdmissionLane.allCases { #expect((result.waits[lane] ?? []).count > 10) }
    #expect(result.good / capacity(result, processors: 1) >= 0.85)
  }
}
