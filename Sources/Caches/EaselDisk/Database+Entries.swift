import CEaselDisk
import EaselCore
import FoundationEssentials

extension Database {
  /// When something happened to an entry, in seconds since 1970.
  struct Dates {
    var used: Double
    var changed: Double
    var created: Double
  }

  /// What a look for an entry gave.
  enum Found {
    case nothing
    ///
    /// The path is that of the file that the body came from.
    case entry(CacheEntry, checksum: Int64, Dates, path: String?)
    /// A row whose record or body is not what was stored.
    case damaged(checksum: Int64)
  }

  /// A row that goes, with what must follow it.
  struct Victim {
    var id: Int64
    var size: Int64
    var file: Int64?
  }

  func find(_ key: DiskKey, _ id: Int64) throws -> Found {
    let row = try read { connection in
      try connection.run(.find) { statement in
        statement.bind(id, at: 1)
        // Another key with the same number is not this key's entry.
        guard try statement.step(), key.isSame(as: statement.bytes(0)) else { return Row?.none }
        return Row(statement, id)
      }
    }
    guard let row else { return .nothing }
    let path = row.file.map { files.path($0) }
    guard let record = row.record, let buffer = row.body ?? path.flatMap({ BodyFiles.read($0, count: row.count) }),
      let entry = entry(buffer, row.count, row.checksum, record, seed: key.seed)
    else { return .damaged(checksum: row.checksum) }
    return .entry(entry, checksum: row.checksum, row.dates, path: path)
  }

  /// The entry of a row that was found before, nil unless its body is still where it was.
  func find(_ row: RecentRows.Row) throws -> CacheEntry? {
    let seed = try seed()
    return BodyFiles.read(row.path, count: row.count).flatMap {
      entry($0, row.count, row.checksum, row.record, seed: seed)
    }
  }

  private func entry(
    _ body: PooledBuffer, _ count: Int, _ checksum: Int64, _ record: CacheRecord, seed: UInt64
  ) -> CacheEntry? {
    let found = easel_disk_checksum(body.bytes.baseAddress, count, seed)
    guard found == UInt64(bitPattern: checksum) else { return nil }
    return CacheEntry(bytes: ImageBytes(body, count: count), record: record)
  }

  /// The dates of an entry, nil when it is not there.
  func look(_ key: DiskKey, _ id: Int64) throws -> Dates? {
    try read { connection in
      try connection.run(.look) { statement in
        statement.bind(id, at: 1)
        guard try statement.step(), key.isSame(as: statement.bytes(0)) else { return nil }
        return Dates(used: statement.number(1), changed: statement.number(2), created: statement.number(3))
      }
    }
  }

  /// The number of entries and the bytes that they take.
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

  /// The file of a row, nil when its body lies in the database or there is no such row.
  static func file(of id: Int64, _ connection: Connection) throws -> BodyFiles.Name? {
    try connection.run(.fileOf) { statement in
      statement.bind(id, at: 1)
      guard try statement.step(), !statement.isNull(0) else { return nil }
      return BodyFiles.Name(id: id, number: statement.integer(0))
    }
  }

  /// Removes a row, only that of this body where one is named; returns its file.
  static func remove(_ id: Int64, checksum: Int64? = nil, _ connection: Connection) throws -> BodyFiles.Name? {
    let file = try file(of: id, connection)
    try connection.run(.remove) { statement in
      statement.bind(id, at: 1)
      statement.bind(checksum, at: 2)
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

  /// The rows that a query chooses, as far as it is told to go.
  static func victims(
    _ query: Query, _ connection: Connection, _ bind: (Statement) -> Void
  ) throws -> [Victim] {
    try connection.run(query) { statement in
      bind(statement)
      var victims: [Victim] = []
      while try statement.step() {
        let file = statement.isNull(2) ? nil : statement.integer(2)
        victims.append(Victim(id: statement.integer(0), size: statement.amount(1), file: file))
      }
      return victims
    }
  }

  /// A row as far as it can be judged without the files.
  private struct Row {
    var record: CacheRecord?
    var count: Int
    var checksum: Int64
    var file: BodyFiles.Name?
    var body: PooledBuffer?
    var dates: Dates

    init(_ statement: Statement, _ id: Int64) {
      record = RecordCoding.decode(statement.bytes(1), response: statement.isNull(2) ? nil : statement.bytes(2))
      count = Int(statement.integer(3))
      checksum = statement.integer(4)
      file = statement.isNull(5) ? nil : BodyFiles.Name(id: id, number: statement.integer(5))
      dates = Dates(used: statement.number(6), changed: statement.number(7), created: statement.number(8))
      guard file == nil, !statement.isNull(9) else { return }
      let bytes = statement.bytes(9)
      guard bytes.count == count, let buffer = BufferPool.shared.buffer(ofAtLeast: count) else { return }
      UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<count]).copyMemory(from: bytes)
      body = buffer
    }
  }
}
