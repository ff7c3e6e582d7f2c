import CEaselDisk
import EaselCore
import Glibc

/// Enforces the limits in small steps, so that writers wait only briefly. Readers never wait.
extension SQLiteDiskStore {
  private static let step = 64
  /// The number of rows that are removed at once, so small that the log of the removal fits into the reserve.
  private static let stepOnFullDisk = 2

  /// Removes entries after a store until the size is within the limit.
  ///
  /// When the size exceeds the limit, this and the following stores remove one or more steps of entries each, until the
  /// size is nine tenths of the limit.
  func trimAfterStore(_ database: Database, from size: Int) throws {
    guard let limit = limits.sizeLimit else { return }
    var size = size
    if size > limit, !isTrimming.load(ordering: .relaxed) {
      // The stored total may be wrong, so the size is measured again before entries are removed.
      try database.write { try Self.correctTotals($0) }
      size = try database.totals().size
      if size > limit { isTrimming.store(true, ordering: .relaxed) }
    }
    guard isTrimming.load(ordering: .relaxed) else { return }
    let target = Self.target(limit)
    repeat {
      guard try removeOldest(over: target, from: database) > 0 else { break }
      size = try database.totals().size
    } while size > limit
    if size <= target { isTrimming.store(false, ordering: .relaxed) }
  }

  /// Removes expired entries, leftovers, and entries over the size limit; on a full disk, only what frees space.
  func trim(_ database: Database, isDiskFull: Bool) throws {
    guard !database.isReadOnly else { throw SystemError(code: EROFS) }
    let now = now
    if isDiskFull {
      try removeUnusedFiles(database)
    } else {
      try database.write { connection in
        try writeUses(connection)
        try Self.limitFutureTimes(now, connection)
        try Self.correctTotals(connection)
      }
    }
    try removeExpired(at: now, from: database, isDiskFull: isDiskFull)
    if let limit = limits.sizeLimit, try isTrimming.load(ordering: .relaxed) || database.totals().size > limit {
      while try removeOldest(over: Self.target(limit), from: database, isDiskFull: isDiskFull) > 0 {}
      isTrimming.store(false, ordering: .relaxed)
    }
    guard !isDiskFull else { return }
    try removeUnusedFiles(database)
    try database.maintain { try $0.run(.vacuum) }
  }

  /// Removes files that no row refers to.
  ///
  /// A file and its row are added in one transaction, so during another transaction no file is still waiting for its
  /// row.
  func removeUnusedFiles(_ database: Database) throws {
    for number in 0..<256 {
      guard let folder = database.files.folder(number: number) else { continue }
      let found = folder.names()
      if !found.bodies.isEmpty {
        try database.write { connection in
          for name in folder.names().bodies where try !Self.isWanted(name, connection) { folder.remove(name.text) }
        }
      }
      for name in found.leftovers { folder.removeOld(name) }
    }
  }

  /// The sizes of the least recently used entries, in the order in which they would be removed.
  package func oldest(_ count: Int) throws -> [Int] {
    try read(nil) { database in
      try database.read { connection in
        _ = try Database.totals(connection)
        return try Database.removableRows(.oldest, connection) { $0.bind(Int64(count), at: 1) }.map { Int($0.size) }
      }
    }
  }

  private static func target(_ limit: Int) -> Int { limit / 10 * 9 + limit % 10 * 9 / 10 }

  /// Removes some of the least recently used entries while the size exceeds `target`; returns how many.
  private func removeOldest(over target: Int, from database: Database, isDiskFull: Bool = false) throws -> Int {
    try removeRows(from: database, isDiskFull: isDiskFull) { connection, step in
      if uses.count > 0, !isDiskFull { try writeUses(connection) }
      var surplus = try Database.totals(connection).size - target
      let oldest = try Database.removableRows(.oldest, connection) { $0.bind(Int64(step), at: 1) }
      return oldest.prefix { row in
        defer { surplus -= Int(row.size) }
        return surplus > 0
      }
    }
  }

  private func removeExpired(at now: Double, from database: Database, isDiskFull: Bool) throws {
    guard let oldest = limits.oldest(at: now) else { return }
    let query: Query =
      switch limits.ageBasis {
      case .lastUse: .unusedSince
      case .lastChange: .unchangedSince
      case .creation: .createdBefore
      }
    var removed = 0
    repeat {
      removed = try removeRows(from: database, isDiskFull: isDiskFull) { connection, step in
        try Database.removableRows(query, connection) { statement in
          statement.bind(oldest, at: 1)
          statement.bind(Int64(step), at: 2)
        }[...]
      }
    } while removed > 0
  }

  /// Removes the rows that `choose` returns in one transaction.
  ///
  /// Their files are removed after the transaction is committed.
  private func removeRows(
    from database: Database, isDiskFull: Bool,
    _ choose: (Connection, _ step: Int) throws -> ArraySlice<Database.RemovableRow>
  ) throws -> Int {
    let (count, files) = try database.write { connection in
      let rows = try choose(connection, isDiskFull ? Self.stepOnFullDisk : Self.step)
      let before = connection.totalChanges
      let files = try rows.compactMap { try Database.remove($0.id, connection) }
      guard rows.isEmpty || connection.totalChanges > before else {
        throw SQLiteFailure(SQLITE_CORRUPT, "The index names rows that are not there.")
      }
      return (rows.count, files)
    }
    for file in files { database.files.remove(file) }
    // The log is shortened, so that the next step needs no additional space.
    if isDiskFull { try database.shortenLog() }
    return count
  }

  /// Replaces times in the future with the present time.
  ///
  /// These entries were used before the clock was set back, and would otherwise never expire.
  private static func limitFutureTimes(_ now: Double, _ connection: Connection) throws {
    try connection.run(.limitFutureTimes) { statement in
      statement.bind(now, at: 1)
      _ = try statement.step()
    }
  }

  private static func correctTotals(_ connection: Connection) throws {
    let (count, size) = try connection.run(.measure) { statement in
      _ = try statement.step()
      return (statement.amount(0), statement.amount(1))
    }
    guard try Database.totals(connection) != (Int(count), Int(size)) else { return }
    try Database.setTotals(count: count, size: size, connection)
  }

  private static func isWanted(_ name: BodyFiles.Name, _ connection: Connection) throws -> Bool {
    try connection.run(.isFileWanted) { statement in
      statement.bind(name.id, at: 1)
      statement.bind(name.number, at: 2)
      return try statement.step()
    }
  }
}
