import EaselCore
import EaselSupport
import Glibc

/// Opens the database on first use, and again after it was damaged or removed.
final class DatabaseAccess: Sendable {
  private struct State {
    var database: Database?
    var checked = Duration.zero
  }

  /// A failure that other callers get too, so that they need not wait for the lock.
  private struct KnownLock {
    var failure: SQLiteFailure
    var end: ContinuousClock.Instant
  }

  private let directory: String
  private let clock: any ImageClock
  private let state = Locked(State())
  // The end of a known lock is a time of the system's clock, because the lock depends on another process.
  private let knownLock = Locked(KnownLock?.none)

  /// The time for which reads assume that the directory has not changed.
  private static let trust = Duration.seconds(1)
  /// The time without new attempts after another process has locked the database.
  private static let pause = Duration.seconds(1)
  private static let attempts = 4

  init(directory: String, clock: any ImageClock) {
    self.directory = directory
    self.clock = clock
  }

  /// Runs `body` on the database; if the database cannot be used, runs it again on a new one.
  func perform<Result>(forWriting: Bool, _ body: (Database) throws -> Result) throws -> Result {
    guard forWriting else { return try attempt(forWriting: false, body) }
    return try FileLimit.asError { try attempt(forWriting: true, body) }
  }

  private func attempt<Result>(forWriting: Bool, _ body: (Database) throws -> Result) throws -> Result {
    if !forWriting { try throwIfLocked() }
    for _ in 1..<Self.attempts {
      let database = try opened(forWriting)
      do {
        return try body(database)
      } catch let failure as SQLiteFailure where failure.isDamage && !database.isReadOnly {
        defer { forget(database) }
        try database.discard()
      } catch let failure as SQLiteFailure where failure.mayBeMissing && !database.isCurrent {
        forget(database)
      } catch let error as SystemError where error.code == ENOENT {
        forget(database)
      } catch let failure as SQLiteFailure where failure.isBusy && !forWriting {
        throw remember(failure)
      }
    }
    return try body(try opened(forWriting))
  }

  /// Runs `body` only if the database is open and still in its directory.
  func performIfOpen(_ body: (Database) throws -> Void) throws {
    guard let database = state.withLock({ $0.database }), database.isCurrent else { return }
    try FileLimit.asError { try body(database) }
  }

  func close() {
    let old = state.withLock { state in
      defer { state.database = nil }
      return state.database
    }
    withExtendedLifetime(old) {}
  }

  /// Frees the space that is reserved for a full disk; returns true if some was reserved.
  func releaseReserve() -> Bool { (try? CacheDirectory(directory, makesMissing: false).releaseReserve()) ?? false }

  /// Frees disk space without writing anything; returns true on success.
  func freeSpace() -> Bool {
    guard let directory = try? CacheDirectory(directory, makesMissing: false) else { return false }
    return directory.releaseReserve() || Database.removeOldestBodies(in: directory)
  }

  /// Removes everything; this needs no free space.
  ///
  /// The next use creates a new database.
  func removeEverything() throws {
    close()
    let directory = try CacheDirectory(directory, makesMissing: true)
    try directory.withLock {
      try directory.checkIndexOwner()
      directory.removeIndex()
      directory.removeFile(CacheDirectory.damagedIndex)
      _ = directory.releaseReserve()
      BodyFiles(directory: directory).removeAll()
    }
  }

  private func forget(_ database: Database) {
    state.withLock { state in
      if state.database === database { state.database = nil }
    }
  }

  /// Remembers that another process locks the database; returns the same failure.
  private func remember(_ failure: SQLiteFailure) -> SQLiteFailure {
    knownLock.withLock { $0 = KnownLock(failure: failure, end: ContinuousClock.now + Self.pause) }
    return failure
  }

  private func throwIfLocked() throws(SQLiteFailure) {
    let failure = knownLock.withLock { knownLock -> SQLiteFailure? in
      guard let known = knownLock else { return nil }
      if ContinuousClock.now < known.end { return known.failure }
      knownLock = nil
      return nil
    }
    if let failure { throw failure }
  }

  /// Returns the open database, or opens it.
  ///
  /// It opens under the lock, so that two threads do not both open it.
  private func opened(_ forWriting: Bool) throws -> Database {
    let now = clock.uptime
    return try state.withLock { state in
      if let database = state.database {
        if !forWriting && now - state.checked < Self.trust { return database }
        if database.isCurrent {
          state.checked = now
          return database
        }
        // The old database is dropped even if no other one can be opened.
        state.database = nil
      }
      try throwIfLocked()
      do {
        let database = try FileLimit.asError { try Database.open(directory) }
        state.database = database
        state.checked = now
        return database
      } catch let failure as SQLiteFailure where failure.isBusy {
        throw remember(failure)
      }
    }
  }
}
