import EaselCore

/// When entries were asked for, until that is written down together with something else.
package final class LastUses: Sendable {
  private struct State {
    var times: [Int64: Double] = [:]
    /// How many there are when somebody is to write them down next.
    var nextWriting = LastUses.most

    /// Forgets the oldest uses, in a store that can write none of them down.
    mutating func forgetOldest() {
      let median = times.values.sorted()[times.count / 2]
      let all = times
      times = times.filter { $0.value > median }
      // All of one moment.
      if times.isEmpty { times = Dictionary(uniqueKeysWithValues: all.prefix(all.count / 2).map { ($0, $1) }) }
      nextWriting = times.count + LastUses.most
    }
  }

  private let state = Locked(State())

  /// How many there may be before somebody must write them down.
  package static let most = 4096
  /// How many there may be where nobody can.
  package static let mostUnwritten = 4 * most

  package init() {}

  /// Notes a use; returns whether those that wait are to be written down now.
  package func note(_ id: Int64, at time: Double) -> Bool {
    state.withLock { state in
      state.times[id] = time
      if state.times.count > Self.mostUnwritten { state.forgetOldest() }
      guard state.times.count >= state.nextWriting else { return false }
      state.nextWriting = state.times.count + Self.most
      return true
    }
  }

  package func time(of id: Int64) -> Double? { state.withLock { $0.times[id] } }

  package var count: Int { state.withLock { $0.times.count } }

  func forget(_ id: Int64) { state.withLock { state in _ = state.times.removeValue(forKey: id) } }

  package func takeAll() -> [Int64: Double] {
    state.withLock { state in
      defer { (state.times, state.nextWriting) = ([:], Self.most) }
      return state.times
    }
  }

  /// Puts back what could not be written down, unless it was used again meanwhile.
  package func putBack(_ old: [Int64: Double]) {
    state.withLock { state in
      guard state.times.count < Self.most else { return }
      state.times.merge(old) { new, _ in new }
      state.nextWriting = state.times.count + Self.most
    }
  }
}
