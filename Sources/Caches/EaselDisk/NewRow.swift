import CEaselDisk
import EaselCore

/// An entry on its way into the database.
struct NewRow {
  let key: DiskKey
  let id: Int64
  let generation: Int64
  let record: [UInt8]
  let response: [UInt8]?
  let size: Int
  let now: Double
  /// An entry that was created before this has ended, so that what takes its place is a new one.
  let oldestCreation: Double

  /// What there is once the entry is written.
  struct Outcome {
    /// The file of the entry that it replaced.
    let garbage: BodyFiles.Name?
    /// The size of all entries.
    let totalSize: Int
  }

  /// Writes the entry.
  ///
  /// A file gets its name within the transaction that makes its row, so that whoever else is in one knows that a file
  /// without a row is a leftover.
  func write(
    _ body: UnsafeRawBufferPointer, into database: Database, asFile: Bool, also: (Connection) throws -> Void
  ) throws -> Outcome {
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
        return Outcome(garbage: old, totalSize: try Database.totals(connection).size)
      }
    } catch {
      if isPlaced, let name { database.files.remove(name) }
      throw error
    }
  }

  /// In damaged tables a row may go where no search comes; nobody would find it, and none would know why.
  private func checkIsPut(_ connection: Connection) throws {
    let isPut = try connection.run(.isPut) { statement in
      statement.bind(id, at: 1)
      return try statement.step()
    }
    guard isPut else { throw SQLiteFailure(SQLITE_CORRUPT, "A row that was written is not there.") }
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
    let checksum = easel_disk_checksum(body.baseAddress, body.count, key.seed)
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
