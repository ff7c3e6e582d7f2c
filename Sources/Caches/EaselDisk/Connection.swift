import CEaselDisk
import EaselCore
import EaselSupport

/// A connection to the database, with its prepared statements; only one thread uses it at a time.
///
/// Unchecked, because the writer's turn and the pool of readers give each connection to only one thread.
final class Connection: @unchecked Sendable {
  enum Mode {
    case writing
    case reading
    /// For a directory where nothing can be written, not even the notes that readers leave for each other.
    case frozen
  }

  private let handle: OpaquePointer
  private var statements = [OpaquePointer?](repeating: nil, count: Query.allCases.count)
  // The timeout is allocated separately, because SQLite keeps its address.
  private let timeout = UnsafeMutablePointer<easel_lock_timeout>.allocate(capacity: 1)
  /// The version of the tables; set only on connections that read.
  private(set) var version: Int64?
  /// The application id that marks the version; set only on connections that read.
  private(set) var mark: Int?

  /// The milliseconds that a reader waits while another process rebuilds the index of the log, or locks the whole
  /// database.
  static let readingTimeout = 1000

  init(path: String, mode: Mode) throws(SQLiteFailure) {
    var handle: OpaquePointer?
    let status = easel_sqlite_open(Self.name(path, mode), &handle, Self.flags(mode))
    timeout.initialize(to: easel_lock_timeout(milliseconds: Int64(Self.readingTimeout), began: 0))
    guard status == SQLITE_OK, let handle else {
      let failure = SQLiteFailure(status, handle)
      sqlite3_close_v2(handle)
      timeout.deallocate()
      throw failure
    }
    self.handle = handle
    // On a read-only disk, SQLite opens the database only for reading, and reports no error.
    guard mode != .writing || sqlite3_db_readonly(handle, "main") == 0 else {
      throw SQLiteFailure(SQLITE_READONLY, "The database is read-only.")
    }
    easel_sqlite_set_lock_timeout(handle, timeout)
    let hardened = easel_sqlite_harden(handle)
    guard hardened == SQLITE_OK else { throw SQLiteFailure(hardened, handle) }
    try execute("PRAGMA cell_size_check = ON")
    if mode == .writing {
      try execute("PRAGMA cache_size = -2048; PRAGMA temp_store = MEMORY")
    } else {
      try prepareReading()
    }
  }

  /// Opens a connection that examines the files of the database without reading its tables.
  init(unprepared path: String) throws(SQLiteFailure) {
    var handle: OpaquePointer?
    let status = easel_sqlite_open(Self.name(path, .writing), &handle, Self.flags(.writing) & ~SQLITE_OPEN_CREATE)
    timeout.initialize(to: easel_lock_timeout(milliseconds: 0, began: 0))
    guard status == SQLITE_OK, let handle else {
      let failure = SQLiteFailure(status, handle)
      sqlite3_close_v2(handle)
      timeout.deallocate()
      throw failure
    }
    self.handle = handle
  }

  /// Sets how many milliseconds the connection waits for locks of others.
  func wait(atMost milliseconds: Int) { timeout.pointee.milliseconds = Int64(milliseconds) }

  /// Clears the shared index of the log, so that its next user rebuilds it.
  func forgetSharedIndex() throws(SQLiteFailure) {
    let status = easel_sqlite_forget_shared_index(handle)
    guard status == SQLITE_OK else { throw SQLiteFailure(status, handle) }
  }

  /// The application id in the header of the file; 0 when there is no such header.
  var applicationIDInHeader: Int32 { easel_sqlite_application_id(handle) }

  /// Reads the version of the tables and its mark.
  ///
  /// The page cache of SQLite is made small only afterwards, because that setting also reads the tables.
  private func prepareReading() throws(SQLiteFailure) {
    let statement = Statement(handle: try prepare("PRAGMA user_version", isKept: false))
    defer { sqlite3_finalize(statement.handle) }
    if try statement.step() { version = statement.integer(0) }
    mark = Int(try value("PRAGMA application_id") ?? "")
    try execute("PRAGMA cache_size = -512")
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
    timeout.deallocate()
  }

  /// Runs statements that return no rows, without keeping them prepared.
  func execute(_ sql: String) throws(SQLiteFailure) {
    let status = sqlite3_exec(handle, sql, nil, nil, nil)
    guard status == SQLITE_OK else { throw SQLiteFailure(status, handle) }
  }

  /// The first column of the first row of a statement, which is not kept prepared.
  func value(_ sql: String) throws(SQLiteFailure) -> String? {
    let statement = Statement(handle: try prepare(sql, isKept: false))
    defer { sqlite3_finalize(statement.handle) }
    guard try statement.step(), let text = sqlite3_column_text(statement.handle, 0) else { return nil }
    return String(cString: text)
  }

  /// Runs a prepared statement, and then releases its bound values.
  func run<Result>(_ query: Query, _ body: (Statement) throws -> Result) throws -> Result {
    let statement = try statement(query)
    defer {
      sqlite3_reset(statement.handle)
      sqlite3_clear_bindings(statement.handle)
    }
    return try body(statement)
  }

  func run(_ query: Query) throws { try run(query) { while try $0.step() {} } }

  /// The number of rows changed by the latest statement.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// The number of rows changed by all statements of the connection.
  var totalChanges: Int { Int(sqlite3_total_changes(handle)) }

  private func statement(_ query: Query) throws(SQLiteFailure) -> Statement {
    if let kept = statements[query.rawValue] { return Statement(handle: kept) }
    let made = try prepare(query.sql, isKept: true)
    statements[query.rawValue] = made
    return Statement(handle: made)
  }

  private func prepare(_ sql: String, isKept: Bool) throws(SQLiteFailure) -> OpaquePointer {
    var statement: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let status = sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
    guard status == SQLITE_OK, let statement else { throw SQLiteFailure(status, handle) }
    return statement
  }

  private static func flags(_ mode: Mode) -> CInt {
    let access = mode == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    return access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
  }

  private static func name(_ path: String, _ mode: Mode) -> String {
    if mode != .frozen, path.utf8.first == UInt8(ascii: "/") || path == ":memory:" { return path }
    var escaped = ""
    for byte in path.utf8 {
      let isPlain = byte > 0x20 && byte < 0x7F && !"%?#".utf8.contains(byte)
      escaped += isPlain ? String(UnicodeScalar(byte)) : "%" + hexadecimal([byte])
    }
    return "file:\(escaped)\(mode == .frozen ? "?immutable=1" : "")"
  }
}
