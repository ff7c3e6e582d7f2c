import EaselCore

/// When entries were asked for, until that is written down together with something else.
final class LastUses: Sendable {
  private let times = Locked<[Int64: Double]>([:])

  /// How many there may be before somebody must write them down.
  static let most = 4096

  /// Notes a use; returns how many wait to be written down.
  func note(_ id: Int64, at time: Double) -> Int {
    times.withLock { times in
      times[id] = time
      return times.count
    }
  }

  func time(of id: Int64) -> Double? { times.withLock { $0[id] } }

  var count: Int { times.withLock { $0.count } }

  func forget(_ id: Int64) { times.withLock { times in _ = times.removeValue(forKey: id) } }

  func takeAll() -> [Int64: Double] {
    times.withLock { times in
      defer { times = [:] }
      return times
    }
  }

  /// Puts back what could not be written down, unless it was used again meanwhile.
  func putBack(_ old: [Int64: Double]) {
    times.withLock { times in
      guard times.count < Self.most else { return }
      times.merge(old) { new, _ in new }
    }
  }
}
