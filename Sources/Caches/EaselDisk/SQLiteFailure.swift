import CEaselDisk
import EaselCore
import Glibc

/// What SQLite answered when it could not do what it was asked.
struct SQLiteFailure: Error, CustomStringConvertible {
  /// The extended result code.
  let code: CInt
  /// The system's own error number, 0 where it gave none.
  let systemCode: CInt
  let description: String

  init(_ code: CInt, _ connection: OpaquePointer?) {
    self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
    let systemCode = connection.map { sqlite3_system_errno($0) } ?? 0
    let kind = code & 0xFF
    // The number stays from one failure to the next, and means something only where the system was asked.
    let asksSystem = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN
    self.systemCode = asksSystem ? systemCode : 0
    let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    description = "SQLite: \(text.map { String(cString: $0) } ?? "no reason given") (\(self.code))"
  }

  /// The code of a failure that SQLite did not see itself.
  init(_ code: CInt, _ description: String) {
    self.code = code
    systemCode = 0
    self.description = description
  }

  private var kind: CInt { code & 0xFF }

  /// Whether the database itself is damaged.
  ///
  /// Our statements are right and break no rule of a whole database, so what is wrong with one of them is wrong with
  /// the tables.
  var isDamage: Bool {
    let signs = [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH]
    return signs.contains(kind) || code == SQLITE_IOERR | 2 << 8
  }
  /// Whether another connection was in the way.
  var isBusy: Bool { kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_PROTOCOL }
  /// Whether there is no room left: on the disk, within a quota, or within what one file may have.
  var isFull: Bool {
    kind == SQLITE_FULL || SystemError(code: systemCode).isFull || code == SQLITE_IOERR | 19 << 8
  }
  /// Whether the directory or the disk allows no writing.
  var isReadOnly: Bool {
    !isFull && (kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN || kind == SQLITE_PERM)
  }
  /// Whether the files may have been taken away.
  var mayBeMissing: Bool { isReadOnly || kind == SQLITE_IOERR }
}

extension SystemError {
  /// Whether it says that there is no room left.
  var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
}
