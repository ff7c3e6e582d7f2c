import EaselCore
import EaselTestSupport

@testable import EaselService

/// A server with a known capacity under a known load, in time that only the simulation moves.
///
/// The queue is the real one. Work takes a random multiple of its estimate. If more work runs than there are processors,
/// because of the reserved places, all of it runs more slowly.
struct AdmissionSimulation {
  /// A kind of work, with its estimated time.
  struct Kind {
    let weight: Int
    let milliseconds: ClosedRange<Int>
    var isAVIF = false
  }

  /// A request and what became of it.
  struct Piece {
    let client: Int
    let cost: WorkCost
    /// The processor time that it really takes.
    let time: Duration
    let arrival: Duration
    var begun: Duration?
    var ended: Duration?
    var isRefused = false
    /// True if it was refused after it had waited.
    var isRefusedLate = false

    /// The time that it waited for its place.
    var wait: Duration { (begun ?? .longest) - arrival }
    /// The time until its answer.
    var total: Duration { (ended ?? .longest) - arrival }
  }

  struct Arrival {
    let time: Duration
    let client: Int
  }

  /// Mostly thumbnails, some large pictures, few AVIF.
  static let mixture = [
    Kind(weight: 60, milliseconds: 4...15), Kind(weight: 35, milliseconds: 25...200),
    Kind(weight: 5, milliseconds: 100...600, isAVIF: true),
  ]

  let processors: Int
  var settings: AdmissionSettings
  /// The real time of work as multiples of the estimated one.
  var ratios = 0.6...1.6
  /// How much slower the machine is than that of the estimates.
  var slowness = 1.0
  var kinds: (_ client: Int) -> [Kind] = { _ in Self.mixture }
  private var random: SeededRandom

  init(processors: Int, patience: Duration = .seconds(5), seed: UInt64) {
    self.processors = processors
    settings = AdmissionSettings(processors: processors)
    settings.patience = patience
    random = SeededRandom(seed: seed)
  }

  // MARK: Loads

  /// Clients each of which asks again as soon as it has its answer, or a second after a refusal.
  mutating func closed(clients: Int, for length: Duration, beside others: [Arrival] = []) -> [Piece] {
    let first = (0..<clients).map { Arrival(time: .microseconds($0 * 100), client: $0) }
    return run(first + others, loyal: 0..<clients, until: length)
  }

  /// Requests of many clients at random times, `share` times as many as the server can do.
  mutating func arrivals(share: Double, from start: Duration, to end: Duration, clients: Int) -> [Arrival] {
    let kinds = kinds(0)
    let weight = Double(kinds.reduce(0) { $0 + $1.weight })
    let mean = kinds.reduce(0.0) { sum, kind in
      sum + Double(kind.weight) / weight * Double(kind.milliseconds.lowerBound + kind.milliseconds.upperBound) / 2
    }
    let time = mean * (ratios.lowerBound + ratios.upperBound) / 2 * slowness
    let gap = time / Double(processors) / share
    var result: [Arrival] = []
    var now = start
    while now < end {
      result.append(Arrival(time: now, client: Int.random(in: 0..<clients, using: &random)))
      now += .microseconds(Int(Double.random(in: 0...2, using: &random) * gap * 1000))
    }
    return result
  }

  /// Runs the real queue until all is done.
  mutating func run(_ arrivals: [Arrival], loyal: Range<Int> = 0..<0, until length: Duration = .zero) -> [Piece] {
    var queue = AdmissionQueue(settings)
    var coming = arrivals.sorted { $0.time > $1.time }
    var pieces: [Piece] = []
    var waiting: [(index: Int, waiter: AdmissionWaiter)] = []
    var places: [Int: AdmissionPlace] = [:]
    var machine = Machine(processors: processors)
    func comeAgain(_ client: Int, after pause: Duration) {
      guard loyal.contains(client), machine.now < length else { return }
      let arrival = Arrival(time: machine.now + pause, client: client)
      let index = coming.lastIndex { $0.time > arrival.time } ?? -1
      coming.insert(arrival, at: index + 1)
    }
    /// Notes the decision about a waiter; false if there is none yet.
    func note(_ index: Int, _ waiter: AdmissionWaiter, isNew: Bool) -> Bool {
      switch waiter.outcome {
      case nil: return false
      case .admitted(let place):
        pieces[index].begun = machine.now
        places[index] = place
        machine.begin(index, pieces[index].time)
      case .refused, .withdrawn:
        pieces[index].isRefused = true
        pieces[index].isRefusedLate = !isNew
        comeAgain(pieces[index].client, after: .seconds(1))
      }
      return true
    }
    while true {
      if let ended = machine.run(until: coming.last?.time) {
        pieces[ended].ended = machine.now
        if let place = places.removeValue(forKey: ended) { queue.leave(place, isMeasured: true, at: machine.now) }
        comeAgain(pieces[ended].client, after: .microseconds(Int.random(in: 1...500, using: &random)))
      } else {
        guard let arrival = coming.popLast() else { return pieces }
        let piece = piece(of: arrival)
        let waiter = AdmissionWaiter(
          piece.cost, client: AdmissionClient(named: "\(piece.client)"), deadline: nil)
        pieces.append(piece)
        queue.arrive(waiter, at: machine.now)
        if !note(pieces.count - 1, waiter, isNew: true) { waiting.append((pieces.count - 1, waiter)) }
      }
      // Among hundreds that wait the queue decides about few, and mostly about those that came first.
      var decided = waiting.count - queue.snapshot().lanes.values.reduce(0) { $0 + $1.waiting }
      var next = 0
      while decided > 0 {
        if note(waiting[next].index, waiting[next].waiter, isNew: false) {
          waiting.remove(at: next)
          decided -= 1
        } else {
          next += 1
        }
      }
    }
  }

  /// The same requests in plain order of arrival, without clients, patience and reserved places.
  ///
  /// AVIF that has no place lets others pass.
  func inPlainOrder(_ pieces: [Piece]) -> [Piece] {
    var result = pieces
    var machine = Machine(processors: processors)
    var waiting: [Int] = []
    var (arrived, avif) = (0, 0)
    func isAVIF(_ index: Int) -> Bool { settings.lane(of: pieces[index].cost) == .avif }
    while true {
      if let ended = machine.run(until: arrived < result.count ? result[arrived].arrival : nil) {
        result[ended].ended = machine.now
        if isAVIF(ended) { avif -= 1 }
      } else {
        guard arrived < result.count else { return result }
        waiting.append(arrived)
        arrived += 1
      }
      while machine.runningCount < processors,
        let place = waiting.firstIndex(where: { avif < settings.avifPlaces || !isAVIF($0) })
      {
        let index = waiting.remove(at: place)
        if isAVIF(index) { avif += 1 }
        result[index].begun = machine.now
        machine.begin(index, result[index].time)
      }
    }
  }

  private mutating func piece(of arrival: Arrival) -> Piece {
    let kinds = kinds(arrival.client)
    var pick = Int.random(in: 0..<kinds.reduce(0) { $0 + $1.weight }, using: &random)
    let kind =
      kinds.first {
        pick -= $0.weight
        return pick < 0
      } ?? kinds[0]
    let cost = WorkCost(
      nanoseconds: Int.random(in: kind.milliseconds, using: &random) * 1_000_000, encodesAVIF: kind.isAVIF)
    let time = cost.time * Double.random(in: ratios, using: &random) * slowness
    return Piece(client: arrival.client, cost: cost, time: time, arrival: arrival.time)
  }
}

/// Processors that share their time among what runs.
private struct Machine {
  let processors: Int
  private(set) var now = Duration.zero
  private var running: [(index: Int, left: Duration)] = []

  init(processors: Int) { self.processors = processors }

  var runningCount: Int { running.count }

  mutating func begin(_ index: Int, _ time: Duration) { running.append((index, time)) }

  /// Runs until the first piece ends, and returns it; nil if the time comes first, or if nothing runs.
  mutating func run(until time: Duration?) -> Int? {
    let speed = min(1, Double(processors) / Double(max(1, running.count)))
    let first = running.min { $0.left < $1.left }
    let end = first.map { now + $0.left / speed }
    guard let next = [end, time].compactMap({ $0 }).min() else { return nil }
    let passed = (next - now) * speed
    for index in running.indices { running[index].left -= passed }
    now = next
    guard let first, end == next, time.map({ next < $0 }) ?? true else { return nil }
    running.removeAll { $0.index == first.index }
    return first.index
  }
}
