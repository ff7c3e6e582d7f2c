import CEaselDisk
import CEaselRecords
import EaselCore

/// An entry that will be written to the database.
struct RowInsertion {
  let key: DiskKey
  let id: Int64
  let generation: Int64
  let record: [UInt8]
  let response: [UInt8]?
  let size: Int
  let now: Double
  /// An old entry that was created before this time has expired, so the new entry counts as newly created.
  let oldestCreation: Double

  /// The result of writing the entry.
  struct WriteResult {
    /// The file of the replaced entry.
    let garbage: BodyFiles.Name?
    /// The size of all entries after the write.
    let totalSize: Int
  }

  /// Writes the entry.
  ///
  /// The file gets its name in the transaction that adds its row. During any other transaction, a file without a row is
  /// therefore a leftover.
  func write(
    _ body: UnsafeRawBufferPointer, into database: Database, asFile: Bool, also: (Connection) throws -> Void
  ) throws -> WriteResult {
    let name = asFile ? BodyFiles.Name(id: id, number: .random(in: .min ... .max)) : nil
    let file = try name.map { try database.files.write(body, for: $0) }
    var isPlaced = false
    do {
      return try database.write { connection in
        try also(connection)
        let old = try Database.file(of: id, connection)
        if let file, let name {
          try database.files.place(file, as: name)
          isPlaced = true
          try Database.removeBody(id, connection)
        } else {
          try putBody(body, connection)
        }
        try put(body, name, connection)
        try checkIsPut(connection)
        return WriteResult(garbage: old, totalSize: try Database.totals(connection).size)
      }
    } catch {
      if isPlaced, let name { database.files.remove(name) }
      throw error
    }
  }

  /// Throws if the row cannot be found: in damaged tables it may be in a place where no search looks.
  private func checkIsPut(_ connection: Connection) throws {
    let isPut = try connection.run(.isPut) { statement in
      statement.bind(id, at: 1)
      return try statement.step()
    }
    guard isPut else { throw SQLiteFailure(SQLITE_CORRUPT, "A row that was written is missing.") }
  }

  private func putBody(_ body: UnsafeRawBufferPointer, _ connection: Connection) throws {
    try connection.run(.putBody) { statement in
      statement.bind(id, at: 1)
      statement.bind(body, at: 2)
      _ = try statement.step()
    }
  }

  private func put(
    _ body: UnsafeRawBufferPointer, _ name: BodyFiles.Name?, _ connection: Connection
  ) throws {
    let checksum = easel_record_checksum(body.baseAddress, body.count, key.seed)
    try connection.run(.put) { statement in
      statement.bind(id, at: 1)
      statement.bind(key.origin, at: 2)
      statement.bind(generation, at: 3)
      statement.bind(Int64(body.count), at: 7)
      statement.bind(Int64(size), at: 8)
      statement.bind(Int64(bitPattern: checksum), at: 9)
      statement.bind(name?.number, at: 10)
      statement.bind(now, at: 11)
      statement.bind(oldestCreation, at: 12)
      try key.bytes.withUnsafeBytes { key in
        try record.withUnsafeBytes { record in
          statement.bind(key, at: 4)
          statement.bind(record, at: 5)
          guard let response else { return _ = try statement.step() }
          try response.withUnsafeBytes { response in
            statement.bind(response, at: 6)
            _ = try statement.step()
          }
        }
      }
    }
  }
}
