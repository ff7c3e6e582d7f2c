import CEaselDisk
import EaselCore

/// Finding an entry of the store's own directory.
extension SQLiteDiskStore {
  func ownEntry(for key: CacheKey) throws -> CacheEntry? {
    guard key.isStorable else { return nil }
    return try reading(key, otherwise: nil) { database in
      if let entry = entryOfRecentRow(for: key, in: database) { return entry }
      let changes = recent.changes
      let diskKey = try DiskKey(key, seed: database.seed())
      let id = diskKey.id
      var found = try database.find(diskKey, id)
      // Another may have replaced the entry between the look at its row and that at its file.
      if case .damaged = found { found = try database.find(diskKey, id) }
      switch found {
      case .nothing: return nil
      case .damaged(let checksum):
        remove(id, checksum, from: database)
        return nil
      case .entry(let entry, let checksum, let dates, let path):
        let now = now
        guard !limits.isExpired(withPendingUse(dates, id), at: now) else {
          remove(id, checksum, from: database)
          return nil
        }
        noteUse(id, at: now)
        if let path {
          let row = RecentRows.Row(
            id: id, path: path, count: entry.bytes?.count ?? 0, checksum: checksum, record: entry.record, dates: dates,
            cost: 400 + diskKey.bytes.count + entry.record.approximateCost, read: clock.uptime)
          recent.remember(row, for: key, lookedForAt: changes)
        }
        return entry
      }
    }
  }

  private func entryOfRecentRow(for key: CacheKey, in database: Database) -> CacheEntry? {
    guard let row = recent.row(for: key, at: clock.uptime) else { return nil }
    let now = now
    guard !limits.isExpired(withPendingUse(row.dates, row.id), at: now), let entry = try? database.find(row) else {
      return nil
    }
    noteUse(row.id, at: now)
    return entry
  }

  func withPendingUse(_ dates: Database.Dates, _ id: Int64) -> Database.Dates {
    var dates = dates
    dates.used = max(dates.used, uses.time(of: id) ?? -.infinity)
    return dates
  }

  private func noteUse(_ id: Int64, at time: Double) {
    guard uses.note(id, at: time) == LastUses.most else { return }
    // A read must not wait for a writer.
    PlainThread.start { [weak self] in try? self?.writeUses() }
  }

  /// Removes what a read found to be of no use; the read itself has its answer, whatever comes of it.
  private func remove(_ id: Int64, _ checksum: Int64, from database: Database) {
    uses.forget(id)
    guard !database.isReadOnly else { return }
    if let file = try? database.write({ try Database.remove(id, checksum: checksum, $0) }) {
      database.files.remove(file)
    }
  }
}
