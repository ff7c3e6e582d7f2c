import EaselCore
import Synchronization

/// How the calls of the store reach its database.
extension SQLiteDiskStore {
  /// Does something that looks only, and waits for nobody who writes.
  func reading<Result>(_ key: CacheKey?, _ body: (Database) throws -> Result) throws -> Result {
    func perform() throws -> Result {
      try access.perform(forWriting: false, body)
    }
    do {
      do {
        return try perform()
      } catch let error where isFull(error) {
        // Readers leave notes for each other, which need a little room at first.
        guard access.releaseReserve() else { throw error }
        return try perform()
      }
    } catch {
      throw failure(error, "could not be read", key)
    }
  }

  /// Does something that changes the store; the files that nothing refers to any more are removed afterwards.
  func changing(_ what: String, _ key: CacheKey?, _ body: (Database) throws -> [BodyFiles.Name]) throws {
    do {
      try access.perform(forWriting: true) { database in
        startMaintenance()
        for file in try body(database) { database.files.remove(file) }
      }
    } catch {
      throw failure(error, what, key)
    }
  }

  /// Does something that makes the store smaller, also on a full disk where the database cannot write.
  ///
  /// At first `body` is asked to do with little room, then what needs none is removed before it is asked again. Where it
  /// fails for all that, the store can be made anew.
  func emptying(
    _ what: String, _ key: CacheKey?, startsAnew: Bool,
    _ body: (Database, _ isTight: Bool) throws -> [BodyFiles.Name]
  ) throws {
    do {
      var isTight = false
      while true {
        do {
          try access.perform(forWriting: true) { database in
            startMaintenance()
            for file in try body(database, isTight) { database.files.remove(file) }
            if isTight { database.giveRoomBack() }
          }
          return
        } catch let error where isFull(error) {
          if isTight, startsAnew && key == nil || !access.makeRoom() {
            guard startsAnew else { throw error }
            return try access.startAnew()
          }
          isTight = true
        }
      }
    } catch {
      throw failure(error, what, key)
    }
  }

  /// Starts what tidies up now and then; it ends with the store, and when the store is closed.
  ///
  /// Who only counts entries leaves nothing to tidy, and a timer would cost as much as the counting.
  func startMaintenance() {
    guard let interval = maintenanceInterval, !isMaintained.load(ordering: .relaxed) else { return }
    maintenance.withLock { task in
      guard task == nil else { return }
      isMaintained.store(true, ordering: .relaxed)
      // A task and no thread: it takes one only while there is something to do.
      task = Task.detached(priority: .background) { [weak self, clock] in
        while (try? await clock.sleep(for: interval)) != nil {
          _ = try? await WorkerSet.fileWrites.run(at: LivePriority(.low)) { [weak self] in try? self?.trim() }
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
