import EaselCore

/// Frees space on a full disk.
extension Database {
  /// The bytes that one call frees.
  private static let bytesPerCall = 1 << 20

  /// Removes the least recently used bodies, to free space on a disk where the database cannot write.
  ///
  /// Their rows stay for now. A row whose file is missing counts as a miss, and its next lookup removes it. Returns
  /// true when something was removed.
  static func removeOldestBodies(in directory: CacheDirectory) -> Bool {
    guard let database = try? openForReading(in: directory) else { return false }
    // Earlier calls may already have removed the files of many rows.
    for count in [64, 4096, 1 << 20] {
      let oldest = try? database.read { connection in
        try removableRows(.oldest, connection) { $0.bind(Int64(count), at: 1) }
      }
      guard let oldest else { return false }
      var removed = 0
      for row in oldest where removed < bytesPerCall {
        guard let number = row.file else { continue }
        let name = BodyFiles.Name(id: row.id, number: number)
        if database.files.remove(name) { removed += Int(row.size) }
      }
      if removed > 0 { return true }
      if oldest.count < count { return false }
    }
    return false
  }

  /// Shortens the log, which grew during the removals, and allocates the reserve again.
  func restoreReserve() {
    try? shortenLog()
    directory.keepReserve()
  }

  func shortenLog() throws { try maintain { _ = try $0.value("PRAGMA wal_checkpoint(TRUNCATE)") } }
}
