import EaselCore
import EaselTestSupport
import Testing

@testable import EaselService

/// The promises of admission under known loads: nobody starves, and whoever is let in is served in time.
struct AdmissionSimulationTests {
  private typealias Piece = AdmissionSimulation.Piece

  private func longest(_ times: [Duration]) -> Duration { times.max() ?? .zero }

  private func percentile(_ share: Double, of times: [Duration]) -> Duration {
    let sorted = times.sorted()
    return sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  private func checkNobodyStarves(_ pieces: [Piece], _ simulation: AdmissionSimulation) {
    #expect(pieces.allSatisfy { !$0.isRefused && $0.ended != nil })
    let plain = simulation.inPlainOrder(pieces)
    // What runs is not interrupted, so that in either order a piece may come just after a long one has begun.
    let piece = longest(pieces.map(\.time))
    var worst = 0.0
    for (mine, theirs) in zip(pieces, plain) {
      #expect(mine.wait <= theirs.wait * 4 + piece, "\(mine.wait), in plain order \(theirs.wait)")
      worst = max(worst, mine.wait / (theirs.wait + piece))
    }
    #expect(worst <= 4)
    #expect(longest(pieces.map(\.wait)) <= longest(plain.map(\.wait)) * 4 + piece)
  }

  // MARK: Clients that wait for their answers

  @Test(arguments: [(8, 1), (8, 2), (30, 1), (30, 2), (200, 1)] as [(Int, UInt64)])
  func closedClientsAreNeitherRefusedNorStarved(clients: Int, seed: UInt64) {
    // The work of two hundred fits only into a longer patience.
    let patience = Duration.seconds(clients > 100 ? 20 : 5)
    var simulation = AdmissionSimulation(processors: 4, patience: patience, seed: seed)
    let pieces = simulation.closed(clients: clients, for: .seconds(30))
    #expect(pieces.count > 1000)
    checkNobodyStarves(pieces, simulation)
  }

  @Test(arguments: [UInt64](1...3))
  func eightClientsWithEqualWorkWaitEquallyLong(_ seed: UInt64) {
    var simulation = AdmissionSimulation(processors: 2, seed: seed)
    simulation.kinds = { _ in [AdmissionSimulation.Kind(weight: 1, milliseconds: 80...120)] }
    simulation.ratios = 0.8...1.2
    let pieces = simulation.closed(clients: 8, for: .seconds(60))
    checkNobodyStarves(pieces, simulation)
    let totals = pieces.map(\.total)
    #expect(percentile(0.99, of: totals) <= percentile(0.5, of: totals) * 2)
    #expect(longest(totals) <= percentile(0.5, of: totals) * 3)
  }

  @Test(arguments: [(1.0 / 3, 1), (1.0 / 3, 2), (3, 1), (3, 2)] as [(Double, UInt64)])
  func wrongEstimatesStarveNobody(slowness: Double, seed: UInt64) {
    // On a slow machine, the work fits only into a longer patience.
    var simulation = AdmissionSimulation(processors: 4, patience: .seconds(slowness > 1 ? 15 : 5), seed: seed)
    simulation.slowness = slowness
    let pieces = simulation.closed(clients: 30, for: .seconds(30))
    checkNobodyStarves(pieces, simulation)
  }

  @Test(arguments: [UInt64](1...2))
  func underHalfOfTheCapacityThereIsHardlyAWait(_ seed: UInt64) {
    var simulation = AdmissionSimulation(processors: 4, seed: seed)
    let pieces = simulation.run(simulation.arrivals(share: 0.5, from: .zero, to: .seconds(25), clients: 50))
    checkNobodyStarves(pieces, simulation)
    #expect(percentile(0.5, of: pieces.map(\.wait)) < .milliseconds(20))
    let cheap = pieces.filter { $0.cost.time < simulation.settings.cheapTime }
    #expect(percentile(0.99, of: cheap.map(\.wait)) < .milliseconds(30))
  }

  // MARK: Overload

  /// The answers of a time in which three times as many requests came as could be answered.
  ///
  /// Before that the server had an easy time, in which it learned how long work takes.
  private func overload(_ simulation: inout AdmissionSimulation, clients: Int) -> [Piece] {
    let (start, end) = (Duration.seconds(10), Duration.seconds(50))
    let easy = simulation.arrivals(share: 0.5, from: .zero, to: start, clients: clients)
    let hard = simulation.arrivals(share: 3, from: start, to: end, clients: clients)
    let pieces = simulation.run(easy + hard)
    #expect(pieces.allSatisfy { !$0.isRefusedLate && ($0.isRefused || $0.ended != nil) })
    let patience = simulation.settings.patience
    let good = pieces.filter { piece in
      piece.ended.map { $0 > start && $0 <= end && piece.total <= patience } ?? false
    }
    let goodput = good.reduce(Duration.zero) { $0 + $1.time } / ((end - start) * Double(simulation.processors))
    #expect(goodput >= 0.95, "\(goodput)")
    let answered = pieces.filter { $0.arrival >= start && !$0.isRefused }
    #expect(percentile(0.99, of: answered.map(\.total)) <= patience, "\(percentile(0.99, of: answered.map(\.total)))")
    #expect(pieces.contains { $0.isRefused })
    return answered
  }

  @Test(arguments: [(1, 1), (5, 2), (300, 3)] as [(Int, UInt64)])
  func atThreeTimesTheCapacityAllWorkIsUseful(clients: Int, seed: UInt64) {
    var simulation = AdmissionSimulation(processors: 4, seed: seed)
    let answered = overload(&simulation, clients: clients)
    // Nobody asks for heavy work here.
    for lane in AdmissionLane.allCases where lane != .heavy {
      #expect(answered.count { simulation.settings.lane(of: $0.cost) == lane } > 50, "\(lane)")
    }
  }

  @Test(arguments: [(1.0 / 3, 1), (3, 2)] as [(Double, UInt64)])
  func wrongEstimatesLeaveAllWorkUseful(slowness: Double, seed: UInt64) {
    var simulation = AdmissionSimulation(processors: 4, seed: seed)
    simulation.slowness = slowness
    #expect(overload(&simulation, clients: 20).count > 100)
  }

  @Test func oneProcessorServesAllLanes() {
    var simulation = AdmissionSimulation(processors: 1, seed: 4)
    let answered = overload(&simulation, clients: 20)
    // Nobody asks for heavy work here.
    for lane in AdmissionLane.allCases where lane != .heavy {
      #expect(answered.count { simulation.settings.lane(of: $0.cost) == lane } > 5, "\(lane)")
    }
  }

  @Test func cheapWorkIsUnharmedByDearWork() {
    var simulation = AdmissionSimulation(processors: 4, seed: 1)
    let pieces = simulation.run(simulation.arrivals(share: 2, from: .zero, to: .seconds(25), clients: 100))
    let cheap = pieces.filter { $0.cost.time < simulation.settings.cheapTime && !$0.isRefused }
    #expect(cheap.count > 1500 && pieces.contains { $0.isRefused })
    #expect(percentile(0.9, of: cheap.map(\.wait)) < .milliseconds(300), "\(percentile(0.9, of: cheap.map(\.wait)))")
  }

  // MARK: Clients that ask for much

  /// Client 0 asks again and again, client 1 for four hundred pictures at once.
  private func besideGreedy(
    _ milliseconds: ClosedRange<Int>, patience: Duration, _ seed: UInt64
  ) -> (AdmissionSimulation, [Piece]) {
    var simulation = AdmissionSimulation(processors: 2, patience: patience, seed: seed)
    simulation.kinds = { _ in [AdmissionSimulation.Kind(weight: 1, milliseconds: milliseconds)] }
    let page = (0..<400).map { _ in AdmissionSimulation.Arrival(time: .zero, client: 1) }
    return (simulation, simulation.closed(clients: 1, for: .seconds(8), beside: page))
  }

  @Test(arguments: [UInt64](1...3))
  func oneWhoAsksForFourHundredDelaysAnotherByOnePieceForEachPlace(_ seed: UInt64) {
    let (simulation, pieces) = besideGreedy(20...30, patience: .seconds(15), seed)
    checkNobodyStarves(pieces, simulation)
    // The piece that runs when it comes, and one that came to the same turn before it.
    let modest = pieces.filter { $0.client == 0 }
    #expect(modest.count > 100)
    #expect(longest(modest.map(\.wait)) <= longest(pieces.map(\.time)) * 2)
  }

  @Test(arguments: [UInt64](1...3))
  func oneWhoAsksForTooMuchIsRefusedAndAnotherIsNot(_ seed: UInt64) {
    let (simulation, pieces) = besideGreedy(40...60, patience: .seconds(5), seed)
    let (modest, greedy) = (pieces.filter { $0.client == 0 }, pieces.filter { $0.client == 1 })
    #expect(greedy.contains { $0.isRefused } && greedy.allSatisfy { !$0.isRefusedLate })
    #expect(!modest.isEmpty && modest.allSatisfy { !$0.isRefused })
    // Near its end the page must not be passed each time, or its last pictures would be late.
    #expect(longest(modest.map(\.wait)) <= longest(pieces.map(\.time)) * 3)
    #expect(longest(greedy.filter { !$0.isRefused }.map(\.total)) <= simulation.settings.patience)
  }
}
