import CEaselDisk
import CEaselRecords
import EaselCore
import EaselRecords
import EaselSupport
import FoundationEssentials

extension Database {
  /// The times at which an entry was last used, last changed and created, in seconds since 1970.
  struct Dates: Equatable {
    var used: Double
    var changed: Double
    var created: Double
  }

  /// Identifies the content of a row, so that a replacement under the same key is noticed.
  struct RowVersion: Equatable {
    var checksum: Int64
    /// The number of the row's file, which no other body of the row ever gets.
    var file: Int64?
    var dates: Dates
  }

  /// The result of a lookup.
  enum Found {
    case nothing
    /// An entry, with the path of the file that holds its body, if there is one.
    case entry(CacheEntry, RowVersion, path: String?)
    /// A row whose record or body is damaged.
    case damaged(RowVersion)

    var isDamaged: Bool {
      if case .damaged = self { true } else { false }
    }
  }

  /// A row to remove, with its size and its file.
  struct RemovableRow {
    var id: Int64
    var size: Int64
    var file: Int64?
  }

  /// Looks up an entry without waiting for writers.
  ///
  /// When a row is replaced, its old file is removed. If the row changed while its file was being read, the lookup is
  /// therefore repeated. A row counts as damaged only if it stayed the same and its file is missing or wrong.
  func find(_ key: DiskKey, _ id: Int64) throws -> Found {
    var found = Found.nothing
    for _ in 0..<Self.mostAttempts {
      guard let row = try read({ try Self.row(key, id, $0) }) else { return .nothing }
      let previous = found
      found = try checked(row, seed: key.seed)
      guard case .damaged(let version) = found, version.file != nil else { return found }
      if case .damaged(version) = previous { return found }
    }
    return found
  }

  /// The most repetitions; no entry is replaced as often during one lookup.
  private static let mostAttempts = 1000

  /// Removes the row of a key if it is damaged or expired; returns whether it was removed, and its file.
  ///
  /// The row is checked again inside the transaction, where nobody else can change it, so that a replacement is not
  /// lost.
  func removeIfUseless(
    _ key: DiskKey, _ id: Int64, _ connection: Connection, isExpired: (Dates) -> Bool
  ) throws -> (wasRemoved: Bool, file: BodyFiles.Name?) {
    guard let row = try Self.row(key, id, connection),
      try isExpired(row.version.dates) || checked(row, seed: key.seed).isDamaged
    else { return (false, nil) }
    return (true, try Self.remove(id, connection))
  }

  /// Reads the entry of a row that was found before; returns nil when its body no longer exists.
  func entry(of row: RecentRows.Row) throws -> CacheEntry? {
    let seed = try seed()
    return try files.read(row.path, count: row.count).flatMap {
      verifiedEntry($0, row.count, row.checksum, row.record, seed: seed)
    }
  }

  private static func row(_ key: DiskKey, _ id: Int64, _ connection: Connection) throws -> StoredRow? {
    try connection.run(.find) { statement in
      statement.bind(id, at: 1)
      // The row may belong to another key with the same row number.
      guard try statement.step(), key.isSame(as: statement.bytes(0)) else { return nil }
      var row = StoredRow(statement, id)
      // The row states the whole key, so its record need not state the digest.
      row.record?.keyDigest = key.digest
      return row
    }
  }

  private func checked(_ row: StoredRow, seed: UInt64) throws(SystemError) -> Found {
    let path = row.version.file.map { BodyFiles.Name(id: row.id, number: $0).path }
    var body = row.body
    if body == nil, let path { body = try files.read(path, count: row.count) }
    guard let record = row.record, let buffer = body,
      let entry = verifiedEntry(buffer, row.count, row.version.checksum, record, seed: seed)
    else { return .damaged(row.version) }
    return .entry(entry, row.version, path: path)
  }

  private func verifiedEntry(
    _ body: PooledBuffer, _ count: Int, _ checksum: Int64, _ record: CacheRecord, seed: UInt64
  ) -> CacheEntry? {
    let found = easel_record_checksum(body.bytes.baseAddress, count, seed)
    guard found == UInt64(bitPattern: checksum) else { return nil }
    return CacheEntry(bytes: ImageBytes(body, count: count), record: record)
  }

  /// The dates of an entry; nil when it does not exist.
  func dates(_ key: DiskKey, _ id: Int64) throws -> Dates? {
    try read { connection in
      try connection.run(.dates) { statement in
        statement.bind(id, at: 1)
        guard try statement.step(), key.isSame(as: statement.bytes(0)) else { return nil }
        return Dates(used: statement.time(1), changed: statement.time(2), created: statement.time(3))
      }
    }
  }

  /// The number of entries and their total size in bytes.
  func totals() throws -> (count: Int, size: Int) {
    try read { try Self.totals($0) }
  }

  static func setTotals(count: Int64, size: Int64, _ connection: Connection) throws {
    try connection.run(.correctTotals) { statement in
      statement.bind(count, at: 1)
      statement.bind(size, at: 2)
      _ = try statement.step()
    }
  }

  static func totals(_ connection: Connection) throws -> (count: Int, size: Int) {
    try connection.run(.totals) { statement in
      guard try statement.step() else { throw SQLiteFailure(SQLITE_CORRUPT, "The table of totals is empty.") }
      return (Int(statement.amount(0)), Int(statement.amount(1)))
    }
  }

  /// The file of a row; nil when the body is in the database, or when the row does not exist.
  static func file(of id: Int64, _ connection: Connection) throws -> BodyFiles.Name? {
    try connection.run(.fileOf) { statement in
      statement.bind(id, at: 1)
      guard try statement.step(), !statement.isNull(0) else { return nil }
      return BodyFiles.Name(id: id, number: statement.integer(0))
    }
  }

  /// Removes a row, and returns its file if it has one.
  static func remove(_ id: Int64, _ connection: Connection) throws -> BodyFiles.Name? {
    let file = try file(of: id, connection)
    try connection.run(.remove) { statement in
      statement.bind(id, at: 1)
      _ = try statement.step()
    }
    guard connection.changes > 0 else { return nil }
    if file == nil { try removeBody(id, connection) }
    return file
  }

  static func removeBody(_ id: Int64, _ connection: Connection) throws {
    try connection.run(.removeBody) { statement in
      statement.bind(id, at: 1)
      _ = try statement.step()
    }
  }

  /// The rows that a query returns.
  static func removableRows(
    _ query: Query, _ connection: Connection, _ bind: (Statement) -> Void
  ) throws -> [RemovableRow] {
    try connection.run(query) { statement in
      bind(statement)
      var rows: [RemovableRow] = []
      while try statement.step() {
        let file = statement.isNull(2) ? nil : statement.integer(2)
        rows.append(RemovableRow(id: statement.integer(0), size: statement.amount(1), file: file))
      }
      return rows
    }
  }

  /// A row as read from the database, without its file.
  private struct StoredRow {
    var id: Int64
    var record: CacheRecord?
    var count: Int
    var version: RowVersion
    var body: PooledBuffer?

    init(_ statement: Statement, _ id: Int64) {
      self.id = id
      record = RecordCoding.decode(statement.bytes(1), response: statement.isNull(2) ? nil : statement.bytes(2))
      count = Int(statement.integer(3))
      version = RowVersion(
        checksum: statement.integer(4), file: statement.isNull(5) ? nil : statement.integer(5),
        dates: Dates(used: statement.time(6), changed: statement.time(7), created: statement.time(8)))
      guard version.file == nil, !statement.isNull(9) else { return }
      let bytes = statement.bytes(9)
      guard bytes.count == count, let buffer = BufferPool.shared.buffer(ofAtLeast: count) else { return }
      UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<count]).copyMemory(from: bytes)
      body = buffer
    }
  }
}
