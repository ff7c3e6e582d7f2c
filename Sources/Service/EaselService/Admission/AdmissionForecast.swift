import EaselCore

/// The times after which work would begin if everything went in order of arrival and as estimated.
///
/// Work is added in any order; it needs no more time than the places need together.
struct AdmissionForecast {
  /// Places that go on with work as soon as they are free.
  private struct Places {
    /// The times at which they are free, in order.
    private let ends: [Double]
    /// The number of places that the work has reached, and the time at which these are free after it.
    private var reached = 1
    private(set) var time: Double

    init(_ count: Int, _ ends: [Double]) {
      let free = [Double](repeating: 0, count: max(0, count - ends.count))
      // If the places were made fewer meanwhile, the first to end leave none.
      self.ends = Array((ends + free).sorted().suffix(count))
      time = self.ends[0]
    }

    mutating func add(_ work: Double) {
      var work = work
      while reached < ends.count {
        let room = (ends[reached] - time) * Double(reached)
        guard room < work else { break }
        work -= room
        time = ends[reached]
        reached += 1
      }
      time += work / Double(reached)
    }
  }

  private var common: Places
  private var avif: Places
  private var heavy: Places
  private var reserved: Places?
  /// False if others pass heavy work that waits, because it cannot take all places.
  private let heavyTakesAll: Bool

  /// Creates a forecast for running work with the nanoseconds that each piece still takes.
  init(_ settings: AdmissionSettings, running: [(place: AdmissionPlace, left: Double)]) {
    func ends(_ isOne: (AdmissionPlace) -> Bool) -> [Double] { running.filter { isOne($0.place) }.map(\.left) }
    common = Places(settings.places, ends { !$0.isReserved })
    avif = Places(settings.avifPlaces, ends { $0.lane == .avif })
    heavy = Places(settings.heavyPlaces, ends { $0.lane == .heavy })
    heavyTakesAll = settings.heavyPlaces >= settings.places
    reserved = settings.reservedPlaces > 0 ? Places(settings.reservedPlaces, ends(\.isReserved)) : nil
  }

  /// Adds work that waits in a lane, in nanoseconds.
  mutating func add(_ work: Double, in lane: AdmissionLane) {
    if lane != .heavy || heavyTakesAll { common.add(work) }
    switch lane {
    case .normal: break
    case .avif: avif.add(work)
    case .heavy: heavy.add(work)
    case .cheap: reserved?.add(work)
    }
  }

  /// The time after which work of a lane would begin.
  func wait(in lane: AdmissionLane) -> Duration {
    let time =
      switch lane {
      case .normal: common.time
      case .avif: max(common.time, avif.time)
      case .heavy: max(common.time, heavy.time)
      case .cheap: min(common.time, reserved?.time ?? .infinity)
      }
    return .nanoseconds(min(time, Self.longest))
  }

  /// A day, which no queue is worth.
  static let longest = 86_400e9
}
