import CEaselDisk
import EaselCore

/// A prepared statement in use.
struct Statement {
  let handle: OpaquePointer

  func bind(_ value: Int64?, at index: CInt) {
    if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
  }

  func bind(_ value: Double, at index: CInt) { sqlite3_bind_double(handle, index, value) }

  /// Binds bytes, which must stay valid until the statement has run.
  func bind(_ bytes: UnsafeRawBufferPointer?, at index: CInt) {
    if let bytes {
      easel_sqlite_bind_bytes(handle, index, bytes.baseAddress, UInt64(bytes.count))
    } else {
      sqlite3_bind_null(handle, index)
    }
  }

  /// Moves to the next row; returns false when there is none.
  func step() throws(SQLiteFailure) -> Bool {
    let status = sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    if status == SQLITE_DONE { return false }
    throw SQLiteFailure(status, sqlite3_db_handle(handle))
  }

  func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Reads a count or a number of bytes.
  ///
  /// A value from a damaged column is limited, so that sums cannot overflow.
  func amount(_ column: CInt) -> Int64 { min(max(0, integer(column)), 1 << 56) }

  /// Reads a time in seconds since 1970.
  ///
  /// A value from a damaged column is limited to years that can be represented.
  func time(_ column: CInt) -> Double {
    let time = sqlite3_column_double(handle, column)
    return time.isNaN ? 0 : min(max(Self.earliest, time), Self.latest)
  }

  /// The first moment of the year 1, and the last moment of the year 9999.
  private static let (earliest, latest) = (-62_135_596_800.0, 253_402_300_799.0)

  func isNull(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// The bytes of a column, valid until the next step.
  func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }
}
