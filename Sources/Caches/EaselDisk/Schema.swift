import CEaselDisk
import EaselCore

/// The tables of the database, and the steps that upgrade older ones.
package struct Schema: Sendable {
  /// The upgrades: the step at index n leads from version n to version n + 1.
  package let steps: [String]

  package init(steps: [String]) { self.steps = steps }

  package static let current = Schema(steps: [
    """
    CREATE TABLE store (seed INTEGER NOT NULL);
    INSERT INTO store VALUES (random());
    CREATE TABLE totals (count INTEGER NOT NULL, size INTEGER NOT NULL);
    INSERT INTO totals VALUES (0, 0);
    CREATE TABLE entries (
      id INTEGER PRIMARY KEY, origin INTEGER NOT NULL, generation INTEGER NOT NULL, key BLOB NOT NULL,
      record BLOB NOT NULL, response BLOB, bytes INTEGER NOT NULL, size INTEGER NOT NULL, checksum INTEGER NOT NULL,
      file INTEGER, used REAL NOT NULL, changed REAL NOT NULL, created REAL NOT NULL
    );
    CREATE INDEX entries_used ON entries (used, size, file);
    CREATE INDEX entries_origin ON entries (origin);
    CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TRIGGER entries_added AFTER INSERT ON entries BEGIN
      UPDATE totals SET count = count + 1, size = size + new.size;
    END;
    CREATE TRIGGER entries_removed AFTER DELETE ON entries BEGIN
      UPDATE totals SET count = count - 1, size = size - old.size;
    END;
    CREATE TRIGGER entries_resized AFTER UPDATE OF size ON entries WHEN new.size <> old.size BEGIN
      UPDATE totals SET size = size + new.size - old.size;
    END;
    """
  ])

  package var version: Int { steps.count }

  /// The application id of a version.
  ///
  /// It confirms the version, so that a damaged version number does not pass for a valid one.
  package static func mark(of version: Int) -> Int { 0x4561_0000 ^ version & 0xFFFF }

  /// True when a number is the mark of some version.
  static func isMark(_ number: Int) -> Bool { number >> 16 == mark(of: 0) >> 16 }

  /// Tables that exist in every version.
  static let tables = ["store", "totals", "entries", "bodies"]

  /// The names of all tables, indexes and triggers of a database.
  static func names(in connection: Connection) throws(SQLiteFailure) -> Set<String> {
    let names = try connection.value("SELECT group_concat(name, char(10)) FROM sqlite_schema")
    return Set(names?.split(separator: "\n").map(String.init) ?? [])
  }

  /// Creates or upgrades the tables of the database in a directory.
  package func prepare(databaseIn directory: String) throws {
    try prepare(Connection(path: "\(directory)/index.sqlite", mode: .writing), directory: directory)
  }

  /// Creates or upgrades the tables, completely or not at all.
  func prepare(_ connection: Connection, directory: String) throws {
    let found = Int(try connection.value("PRAGMA user_version") ?? "") ?? 0
    guard 0...version ~= found else {
      // If the mark does not match, the version is damaged, and not one of a later program.
      guard try found > 0 && connection.value("PRAGMA application_id") == "\(Self.mark(of: found))" else {
        throw SQLiteFailure(SQLITE_CORRUPT, "The tables have an invalid version.")
      }
      throw ImageError(
        .cacheFailed,
        "The cache in \(directory) was made by a later version of Easel; use another directory or that version.",
        subject: directory)
    }
    // Nothing is changed before it is certain that the database belongs to a cache.
    try check(connection, version: found)
    if found == 0 {
      // These settings must come before the first table. With them, trimming can give freed pages back in small steps.
      try connection.execute("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL")
    }
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 8388608")
    guard found < version else { return }
    let upgrade = steps[found...].map { "\($0);" }.joined(separator: "\n")
    try connection.execute(
      """
      BEGIN IMMEDIATE; \(upgrade) PRAGMA user_version = \(version); \
      PRAGMA application_id = \(Self.mark(of: version)); COMMIT
      """)
  }

  /// Throws unless the tables are exactly those of a cache, because every store would run a trigger of another program.
  private func check(_ connection: Connection, version found: Int) throws {
    let isWhole =
      switch found {
      case 0: try Self.names(in: connection).isEmpty && connection.value("PRAGMA application_id") == "0"
      case version: try steps != Self.current.steps || Self.parts(of: connection) == Self.currentParts.get()
      default: try connection.value("PRAGMA application_id") == "\(Self.mark(of: found))"
      }
    guard isWhole else { throw SQLiteFailure(SQLITE_CORRUPT, "The tables are not those of a cache.") }
  }

  private static let currentParts = Result {
    let connection = try Connection(path: ":memory:", mode: .writing)
    try connection.execute(current.steps.joined(separator: "\n"))
    return try parts(of: connection)
  }

  /// The definitions of all tables, indexes and triggers, without SQLite's internal ones.
  private static func parts(of connection: Connection) throws -> String? {
    try connection.value(
      """
      SELECT group_concat(part, char(10)) FROM (
        SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') AS part FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY part)
      """)
  }
}
