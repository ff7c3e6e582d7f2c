import CEaselDisk
import EaselCore
import EaselRecords
import EaselWorkers
import FoundationEssentials

/// Lists the entries of a store.
extension SQLiteDiskStore {
  /// An entry in a listing of the store.
  public struct Entry: Sendable {
    /// The key of the entry.
    public let key: CacheKey
    /// The record of the entry; nil when it is damaged.
    public let record: CacheRecord?
    /// The number of bytes of the body.
    public let byteCount: Int
    /// The time of the last lookup.
    public let lastUse: Date
    /// The time of the last change of the bytes or the record.
    public let lastChange: Date
    /// The time at which it was first stored.
    public let creation: Date
  }

  /// All entries, in no particular order.
  public func entries() throws -> [Entry] {
    try read(nil) { database in
      var all: [Entry] = []
      var next: Int64? = .min
      while let start = next { next = try Self.list(from: start, database, into: &all) }
      return all
    }
  }

  /// The number of rows that are read at once.
  private static let rowsAtOnce = 64

  private static func list(from start: Int64, _ database: Database, into all: inout [Entry]) throws -> Int64? {
    try database.read { connection in
      try connection.run(.list) { statement in
        statement.bind(start, at: 1)
        statement.bind(Int64(rowsAtOnce), at: 2)
        var last: Int64?
        while try statement.step() {
          let id = statement.integer(0)
          // Damaged tables may lead back to earlier rows; without this check, the listing would never end.
          guard id >= last.map({ $0 &+ 1 }) ?? start else {
            throw SQLiteFailure(SQLITE_CORRUPT, "The rows are not in order.")
          }
          last = id
          guard let key = DiskKey.key(from: statement.bytes(1)) else { continue }
          let response = statement.isNull(3) ? nil : statement.bytes(3)
          all.append(
            Entry(
              key: key, record: RecordCoding.decode(statement.bytes(2), response: response),
              byteCount: Int(statement.integer(4)), lastUse: Date(timeIntervalSince1970: statement.time(5)),
              lastChange: Date(timeIntervalSince1970: statement.time(6)),
              creation: Date(timeIntervalSince1970: statement.time(7))))
        }
        return last.flatMap { $0 == .max ? nil : $0 + 1 }
      }
    }
  }
}

extension SQLiteDiskStore: ListingStore {
  package func listing(from place: Int64) throws -> StoreListing {
    try read(nil) { database in
      var entries: [Entry] = []
      let next = try Self.list(from: place, database, into: &entries)
      return StoreListing(
        entries: entries.map { StoreListing.Entry(key: $0.key, record: $0.record, byteCount: $0.byteCount) }, next: next
      )
    }
  }
}
