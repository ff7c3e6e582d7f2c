import EaselCore
import EaselSupport

/// The times of recent uses, collected until the next change writes them to the database.
package final class LastUses: Sendable {
  private struct State {
    var times: [Int64: Double] = [:]
    /// The number of collected times at which the next write is due.
    var nextWriting = LastUses.most

    /// Forgets the older half, because the store cannot write.
    mutating func forgetOldest() {
      let median = times.values.sorted()[times.count / 2]
      let all = times
      times = times.filter { $0.value > median }
      // All times were equal, so any half is dropped.
      if times.isEmpty { times = Dictionary(uniqueKeysWithValues: all.prefix(all.count / 2).map { ($0, $1) }) }
      nextWriting = times.count + LastUses.most
    }
  }

  private let state = Locked(State())

  /// The number of collected uses that triggers a write.
  package static let most = 4096
  /// The most uses that are kept while they cannot be written.
  package static let mostUnwritten = 4 * most

  package init() {}

  /// Notes a use; returns true when the collected uses should be written now.
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

  /// Puts back uses that could not be written; a newer use of the same entry counts.
  package func putBack(_ old: [Int64: Double]) {
    state.withLock { state in
      guard state.times.count < Self.most else { return }
      state.times.merge(old) { new, _ in new }
      state.nextWriting = state.times.count + Self.most
    }
  }
}
