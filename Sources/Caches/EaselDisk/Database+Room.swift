import EaselCore

extension Database {
  /// How much room one call makes.
  private static let room = 1 << 20

  /// Removes bodies that were not used for longest, to make room where the database cannot write.
  ///
  /// Their rows stay for now; without its file each is a miss, and goes when it is next looked at. Returns whether
  /// there was anything to remove.
  static func removeOldestBodies(in directory: CacheDirectory) -> Bool {
    guard let database = try? openForListing(directory) else { return false }
    // Many rows may have lost their files to an earlier call.
    for count in [64, 4096, 1 << 20] {
      let oldest = try? database.read { connection in
        try victims(.oldest, connection) { $0.bind(Int64(count), at: 1) }
      }
      guard let oldest else { return false }
      var removed = 0
      for victim in oldest where removed < room {
        guard let number = victim.file else { continue }
        let name = BodyFiles.Name(id: victim.id, number: number)
        if database.files.remove(name) { removed += Int(victim.size) }
      }
      if removed > 0 { return true }
      if oldest.count < count { return false }
    }
    return false
  }

  /// Makes the log small again, which grew with what was removed, and takes the reserve again.
  func giveRoomBack() {
    try? shortenLog()
    directory.keepReserve()
  }

  func shortenLog() throws { try maintain { _ = try $0.value("PRAGMA wal_checkpoint(TRUNCATE)") } }
}
