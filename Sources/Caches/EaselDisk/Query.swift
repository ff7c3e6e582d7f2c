/// The statements that each connection prepares once and keeps.
enum Query: Int, CaseIterable {
  case begin, commit, rollback
  case find, dates, fileOf
  case put, putBody, isPut, remove, removeBody, removeAll, removeAllBodies
  case use, renew, othersOfOrigin
  case totals, measure, correctTotals
  case oldest, unusedSince, unchangedSince, createdBefore, limitFutureTimes, list
  case isFileWanted, vacuum

  var sql: String {
    switch self {
    case .begin: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    case .find:
      """
      SELECT key, record, response, bytes, checksum, file, used, changed, created, body
      FROM entries LEFT JOIN bodies ON bodies.id = entries.id WHERE entries.id = ?1
      """
    case .dates: "SELECT key, used, changed, created FROM entries WHERE id = ?1"
    case .fileOf: "SELECT file FROM entries WHERE id = ?1"
    case .put:
      """
      INSERT INTO entries (id, origin, generation, key, record, response, bytes, size, checksum, file, used, changed, created)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11, ?11)
      ON CONFLICT (id) DO UPDATE SET origin = ?2, generation = ?3, created = iif(key = ?4 AND created > ?12, created, ?11), key = ?4,
      record = ?5, response = ?6, bytes = ?7, size = ?8, checksum = ?9, file = ?10, used = ?11, changed = ?11
      """
    case .putBody: "INSERT OR REPLACE INTO bodies (id, body) VALUES (?1, ?2)"
    case .isPut:
      "SELECT 1 FROM entries WHERE id = ?1 AND (file IS NOT NULL OR EXISTS (SELECT 1 FROM bodies WHERE id = ?1))"
    case .remove: "DELETE FROM entries WHERE id = ?1"
    case .removeBody: "DELETE FROM bodies WHERE id = ?1"
    case .removeAll: "DELETE FROM entries"
    case .removeAllBodies: "DELETE FROM bodies"
    case .use: "UPDATE entries SET used = ?2 WHERE id = ?1 AND used < ?2"
    case .renew:
      "UPDATE entries SET response = ?4, changed = ?5 WHERE origin = ?1 AND generation = ?2 AND substr(key, 1, length(?3)) = ?3"
    case .othersOfOrigin:
      "SELECT id, file FROM entries WHERE origin = ?1 AND generation <> ?2 AND substr(key, 1, length(?3)) = ?3"
    case .totals: "SELECT count, size FROM totals"
    case .measure: "SELECT count(*), total(size) FROM entries INDEXED BY entries_used"
    case .correctTotals: "UPDATE totals SET count = ?1, size = ?2"
    case .oldest: "SELECT id, size, file FROM entries INDEXED BY entries_used ORDER BY used LIMIT ?1"
    case .unusedSince:
      "SELECT id, size, file FROM entries INDEXED BY entries_used WHERE used <= ?1 ORDER BY used LIMIT ?2"
    case .unchangedSince: "SELECT id, size, file FROM entries WHERE changed <= ?1 LIMIT ?2"
    case .createdBefore: "SELECT id, size, file FROM entries WHERE created <= ?1 LIMIT ?2"
    case .limitFutureTimes:
      "UPDATE entries SET used = ?1, changed = min(changed, ?1), created = min(created, ?1) WHERE used > ?1"
    case .list:
      "SELECT id, key, record, response, bytes, used, changed, created FROM entries WHERE id >= ?1 ORDER BY id LIMIT ?2"
    case .isFileWanted: "SELECT 1 FROM entries WHERE id = ?1 AND file = ?2"
    case .vacuum: "PRAGMA incremental_vacuum(1024)"
    }
  }
}
