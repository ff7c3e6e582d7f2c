import CEaselDisk

/// What SQLite answered when it could not do what it was asked.
struct SQLiteFailure: Error, CustomStringConvertible {
  /// The extended result code.
  let code: CInt
  let description: String

  init(_ code: CInt, _ connection: OpaquePointer?) {
    self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
    let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    description = "SQLite: \(text.map { String(cString: $0) } ?? "no reason given") (\(self.code))"
  }

  /// The code of a failure that SQLite did not see itself.
  init(_ code: CInt, _ description: String) {
    self.code = code
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
  /// Whether there is no room left.
  var isFull: Bool { kind == SQLITE_FULL }
  /// Whether the directory or the disk allows no writing.
  var isReadOnly: Bool { kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN || kind == SQLITE_PERM }
  /// Whether the files may have been taken away.
  var mayBeMissing: Bool { isReadOnly || kind == SQLITE_IOERR }
}
