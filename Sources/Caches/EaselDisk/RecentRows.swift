import EaselCore
import EaselSupport

/// Remembers for a moment the rows whose bodies are in files.
///
/// Looking up a row in the database again would take longer than reading the file.
///
/// The name of a body's file is never reused, and the file is removed when its row is removed or replaced. If the file
/// still exists, its row therefore does too, even if other processes change the database. There are two exceptions: the
/// file is removed shortly after its row, and a renewed record does not change the file. This process therefore forgets
/// the rows that it changes itself, and sees changes of other processes after ``lifetime`` at the latest.
final class RecentRows: Sendable {
  struct Row {
    var id: Int64
    var path: String
    var count: Int
    var checksum: Int64
    var record: CacheRecord
    var dates: Database.Dates
    /// The approximate memory that the row takes.
    var cost: Int
    var read: Duration
  }

  private struct State {
    var rows: [CacheKey: Row] = [:]
    var cost = 0
    /// The number of times that rows were forgotten.
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

  /// Read this number before asking the database, and pass it to ``remember(_:for:lookedForAt:)``.
  var changes: Int { state.withLock { $0.changes } }

  /// Remembers a row, unless a row was forgotten since the lookup began.
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
