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
    // SQLite also keeps the error number of an earlier failure. The number is valid only if the system caused this
    // failure.
    let asksSystem = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN
    self.systemCode = asksSystem ? systemCode : 0
    let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    description = "SQLite: \(text.map { String(cString: $0) } ?? "no reason given") (\(self.code))"
  }

  /// Creates a failure that this module detected itself.
  init(_ code: CInt, _ description: String) {
    self.code = code
    systemCode = 0
    self.description = description
  }

  private var kind: CInt { code & 0xFF }

  /// True when the database itself is damaged.
  ///
  /// The statements of the store are correct, and break no constraint of an intact database. An error in a statement
  /// therefore means that the tables are damaged.
  var isDamage: Bool {
    let signs = [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH]
    return signs.contains(kind) || code == SQLITE_IOERR | 2 << 8
  }
  /// True when another connection holds a lock.
  var isBusy: Bool { kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_PROTOCOL }
  /// True when there is no room: the disk or a quota is full, or a file has reached its size limit.
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
