import EaselCore
import EaselRecords
import EaselWorkers

/// Finds entries in the store's own directory.
extension SQLiteDiskStore {
  func ownEntry(for key: CacheKey) throws -> CacheEntry? {
    guard key.isStorable else { return nil }
    return try read(key) { database in
      startMaintenance()
      if let entry = entryOfRecentRow(for: key, in: database) { return entry }
      let changes = recent.changes
      let diskKey = try DiskKey(key, seed: database.seed())
      let id = diskKey.id
      guard case .entry(let entry, let version, let path) = try foundEntry(diskKey, id, in: database) else {
        return nil
      }
      noteUse(id, at: now)
      if let path {
        let row = RecentRows.Row(
          id: id, path: path, count: entry.bytes?.count ?? 0, checksum: version.checksum, record: entry.record,
          dates: version.dates, cost: 400 + diskKey.bytes.count + entry.record.approximateCost, read: clock.uptime)
        recent.remember(row, for: key, lookedForAt: changes)
      }
      return entry
    }
  }

  /// Looks up an entry.
  ///
  /// If the entry is damaged or expired, it is removed and counts as not found.
  private func foundEntry(_ key: DiskKey, _ id: Int64, in database: Database) throws -> Database.Found {
    let found = try database.find(key, id)
    switch found {
    case .nothing: return found
    case .damaged: break
    case .entry(_, let version, _):
      if !limits.isExpired(withPendingUse(version.dates, id), at: now) { return found }
    }
    removeIfUseless(key, id, from: database)
    return .nothing
  }

  private func entryOfRecentRow(for key: CacheKey, in database: Database) -> CacheEntry? {
    guard let row = recent.row(for: key, at: clock.uptime) else { return nil }
    let now = now
    guard !limits.isExpired(withPendingUse(row.dates, row.id), at: now), let entry = try? database.entry(of: row) else {
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
    guard uses.note(id, at: time) else { return }
    // The uses are written later, because a read must not wait for a writer.
    WorkerSet.fileWrites.start(at: LoadPriority.Live(.low)) { [weak self] in try? self?.writeUses() }
  }

  /// Removes a row that a read found to be damaged or expired.
  ///
  /// The caller of the read must not wait for this. If the row cannot be removed now, the next read tries again.
  private func removeIfUseless(_ key: DiskKey, _ id: Int64, from database: Database) {
    var removed: (wasRemoved: Bool, file: BodyFiles.Name?) = (false, nil)
    let isDone = try? database.writeWithoutWaiting { connection in
      removed = try database.removeIfUseless(key, id, connection) { dates in
        limits.isExpired(withPendingUse(dates, id), at: now)
      }
    }
    guard isDone == true, removed.wasRemoved else { return }
    uses.forget(id)
    if let file = removed.file { database.files.remove(file) }
  }
}
