import CEaselDisk
import EaselCore

/// What the tables look like, and how older ones become like it.
package struct Schema: Sendable {
  /// Each step leads from the version of its place in the list to the next.
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

  /// What is written beside the version, so that a damaged number is not taken for another one.
  package static func mark(of version: Int) -> Int { 0x4561_0000 ^ version & 0xFFFF }

  /// Whether a number is such a mark, of whatever version.
  static func isMark(_ number: Int) -> Bool { number >> 16 == mark(of: 0) >> 16 }

  /// The tables that those of each version are among.
  static let tables = ["store", "totals", "entries", "bodies"]

  /// The names of all that a database is made of.
  static func names(in connection: Connection) throws(SQLiteFailure) -> Set<String> {
    let names = try connection.value("SELECT group_concat(name, char(10)) FROM sqlite_schema")
    return Set(names?.split(separator: "\n").map(String.init) ?? [])
  }

  /// Makes the tables of the database in a directory as this schema wants them.
  package func prepare(databaseIn directory: String) throws {
    try prepare(Connection(path: "\(directory)/index.sqlite", mode: .writing), directory: directory)
  }

  /// Makes the tables of a new database, or those of an old one like new; all of it or nothing.
  func prepare(_ connection: Connection, directory: String) throws {
    let found = Int(try connection.value("PRAGMA user_version") ?? "") ?? 0
    guard 0...version ~= found else {
      // A number that stands alone was not written by a later version.
      guard try found > 0 && connection.value("PRAGMA application_id") == "\(Self.mark(of: found))" else {
        throw SQLiteFailure(SQLITE_CORRUPT, "The version of the tables is none.")
      }
      throw ImageError(
        .cacheFailed,
        "The cache in \(directory) was made by a later version of Easel; use another directory or that version.",
        subject: directory)
    }
    // Not a byte of a database is changed before it is certain that it is a cache's.
    try check(connection, version: found)
    if found == 0 {
      // Both must come before the first table. Freed pages are given back in small steps while the store is tidied.
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

  /// Makes sure that nothing else was put among the tables: what a strange trigger does, each store would set off.
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

  /// All that a database is made of, but for what SQLite keeps for itself.
  private static func parts(of connection: Connection) throws -> String? {
    try connection.value(
      """
      SELECT group_concat(part, char(10)) FROM (
        SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') AS part FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY part)
      """)
  }
}
