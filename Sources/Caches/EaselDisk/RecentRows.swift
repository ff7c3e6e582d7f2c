import EaselCore

/// Rows whose bodies lie in files, remembered for a moment: for those who ask again and again the database is slower
/// than the file.
///
/// A body's file has a name that no other body ever has, and goes when its row goes or is replaced. So a file that is
/// still there says that the row is, whichever process may have changed it. Only a renewed record leaves the file as it
/// is: this process forgets its rows then, and what another one renewed is seen after ``lifetime``.
final class RecentRows: Sendable {
  struct Row {
    var id: Int64
    var path: String
    var count: Int
    var checksum: Int64
    var record: CacheRecord
    var dates: Database.Dates
    /// About how much memory the row takes.
    var cost: Int
    var read: Duration
  }

  private struct State {
    var rows: [CacheKey: Row] = [:]
    var cost = 0
  }

  private let state = Locked(State())

  private static let costLimit = 8 << 20
  private static let lifetime = Duration.seconds(1)

  func row(for key: CacheKey, at time: Duration) -> Row? {
    state.withLock { state in
      guard let row = state.rows[key], time - row.read < Self.lifetime else { return nil }
      return row
    }
  }

  func remember(_ row: Row, for key: CacheKey) {
    let old = state.withLock { state -> State? in
      var old: State?
      if state.cost + row.cost > Self.costLimit {
        old = state
        state = State()
      }
      state.cost += row.cost - (state.rows[key]?.cost ?? 0)
      state.rows[key] = row
      return old
    }
    withExtendedLifetime(old) {}
  }

  func forgetAll() {
    let old = state.withLock { state in
      defer { state = State() }
      return state
    }
    withExtendedLifetime(old) {}
  }
}
