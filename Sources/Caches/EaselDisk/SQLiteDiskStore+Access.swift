import EaselCore
import EaselWorkers
import Synchronization

/// Gives calls of the store access to its database.
extension SQLiteDiskStore {
  /// Runs a read; it never waits for writers.
  func read<Result>(_ key: CacheKey?, _ body: (Database) throws -> Result) throws -> Result {
    func perform() throws -> Result {
      try access.perform(forWriting: false, body)
    }
    do {
      do {
        return try perform()
      } catch let error where isFull(error) {
        // Readers leave notes for each other, and the first notes need a little space.
        guard access.releaseReserve() else { throw error }
        return try perform()
      }
    } catch {
      throw failure(error, "could not be read", key)
    }
  }

  /// Runs a change, then removes the files that it returns, because no row refers to them any more.
  func change(_ what: String, _ key: CacheKey?, _ body: (Database) throws -> [BodyFiles.Name]) throws {
    do {
      try access.perform(forWriting: true) { database in
        startMaintenance()
        for file in try body(database) { database.files.remove(file) }
      }
    } catch {
      throw failure(error, what, key)
    }
  }

  /// Runs a change that makes the store smaller, even on a full disk where the database cannot write.
  ///
  /// On a full disk, the store first removes something whose removal needs no space. Then `body` runs again, with the
  /// information that the disk is full. If nothing helps, everything can be removed.
  func shrink(
    _ what: String, _ key: CacheKey?, mayRemoveEverything: Bool,
    _ body: (Database, _ isDiskFull: Bool) throws -> [BodyFiles.Name]
  ) throws {
    do {
      var isDiskFull = false
      while true {
        do {
          try access.perform(forWriting: true) { database in
            startMaintenance()
            for file in try body(database, isDiskFull) { database.files.remove(file) }
            if isDiskFull { database.restoreReserve() }
          }
          return
        } catch let error where isFull(error) {
          if isDiskFull, mayRemoveEverything && key == nil || !access.freeSpace() {
            guard mayRemoveEverything else { throw error }
            return try access.removeEverything()
          }
          isDiskFull = true
        }
      }
    } catch {
      throw failure(error, what, key)
    }
  }

  /// Starts the regular trimming, which ends when the store is released or closed.
  ///
  /// Counting entries does not start it, because it leaves nothing to trim, and a timer costs as much as the counting.
  func startMaintenance() {
    guard let interval = maintenanceInterval, !isMaintained.load(ordering: .relaxed) else { return }
    maintenance.withLock { task in
      guard task == nil else { return }
      isMaintained.store(true, ordering: .relaxed)
      // This is a task, because a task needs a thread only while it works.
      task = Task.detached(priority: .background) { [weak self, clock] in
        while (try? await clock.sleep(for: interval)) != nil {
          _ = try? await WorkerSet.fileWrites.run(at: LoadPriority.Live(.low)) { [weak self] in try? self?.trim() }
        }
      }
    }
  }

  func endMaintenance() {
    let task = maintenance.withLock { task in
      isMaintained.store(false, ordering: .relaxed)
      defer { task = nil }
      return task
    }
    task?.cancel()
  }
}
