import CEaselDisk
import EaselCore
import Glibc

/// A failure that SQLite reported.
struct SQLiteFailure: Error, CustomStringConvertible {
  /// The extended result code.
  let code: CInt
  /// The error number of the system; 0 for none.
  let systemCode: CInt
  let description: String

  init(_ code: CInt, _ connection: OpaquePointer?) {
    self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
    let systemCode = connection.map { sqlite3_system_errno($0) } ?? 0
    let kind = code & 0xFF
    // SQLite keeps the number of an earlier failure; it is valid only for failures of the system.
    let asksSystem = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN
    self.systemCode = asksSystem ? systemCode : 0
    let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    description = "SQLite: \(text.map { String(cString: $0) } ?? "no reason given") (\(self.code))"
  }

  /// A failure that was detected here and not by SQLite.
  init(_ code: CInt, _ description: String) {
    self.code = code
    systemCode = 0
    self.description = description
  }

  private var kind: CInt { code & 0xFF }

  /// True when the database itself is damaged.
  ///
  /// Our statements are correct and break no constraint of an intact database, so an error in one of them means that
  /// the tables are damaged.
  var isDamage: Bool {
    let signs = [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH]
    return signs.contains(kind) || code == SQLITE_IOERR | 2 << 8
  }
  /// True when another connection holds a lock.
  var isBusy: Bool { kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_PROTOCOL }
  /// True when no space is left: on the disk, within a quota, or within the size limit of a file.
  var isFull: Bool {
    kind == SQLITE_FULL || SystemError(code: systemCode).isFull || code == SQLITE_IOERR | 19 << 8
  }
  /// True when the directory or the disk does not allow writing.
  var isReadOnly: Bool {
    !isFull && (kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN || kind == SQLITE_PERM)
  }
  /// True when the files may have been removed.
  var mayBeMissing: Bool { isReadOnly || kind == SQLITE_IOERR }
}

extension SystemError {
  /// True when no space is left.
  var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
}
