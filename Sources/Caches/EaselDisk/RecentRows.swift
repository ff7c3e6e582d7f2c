import EaselCore

/// Rows whose bodies lie in files, remembered for a moment: for those who ask again and again the database is slower
/// than the file.
///
/// A body's file has a name that no other body ever has, and goes when its row goes or is replaced. So a file that is
/// still there says that the row is, whichever process may have changed it, except for a moment: the file goes after the
/// row, and a renewed record leaves it as it is. So this process forgets what it changes itself, and what another one
/// changed is seen after ``lifetime`` at the latest.
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
    /// How often something was forgotten.
    var changes = 0

    mutating func takeAll() -> [CacheKey: Row] {
      defer { (rows, cost) = ([:], 0) }
      return rows
    }
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

  /// To be asked for before the database is, and shown when the row is to be remembered.
  var changes: Int { state.withLock { $0.changes } }

  /// Remembers a row, unless something was changed since it was looked for.
  func remember(_ row: Row, for key: CacheKey, lookedForAt changes: Int) {
    let old = state.withLock { state -> [CacheKey: Row]? in
      guard state.changes == changes else { return nil }
      var old: [CacheKey: Row]?
      if state.cost + row.cost > Self.costLimit { old = state.takeAll() }
      state.cost += row.cost - (state.rows[key]?.cost ?? 0)
      state.rows[key] = row
      return old
    }
    withExtendedLifetime(old) {}
  }

  func forget(_ key: CacheKey) {
    let old = state.withLock { state in
      state.changes += 1
      let old = state.rows.removeValue(forKey: key)
      state.cost -= old?.cost ?? 0
      return old
    }
    withExtendedLifetime(old) {}
  }

  func forgetAll() {
    let old = state.withLock { state in
      state.changes += 1
      return state.takeAll()
    }
    withExtendedLifetime(old) {}
  }
}
