import CEaselDisk
import EaselCore
import Glibc

/// Opens the database when it is needed, and again when it was damaged or taken away.
final class DatabaseAccess: Sendable {
  private struct State {
    var database: Database?
    var checked = Duration.zero
  }

  /// A failure that others need not wait for as well.
  private struct Occupation {
    var failure: SQLiteFailure
    var end: ContinuousClock.Instant
  }

  private let directory: String
  private let clock: any ImageClock
  private let state = Locked(State())
  // By the machine's own clock, since it is another process that is waited for.
  private let occupation = Locked(Occupation?.none)

  /// How long a reader takes it for granted that the directory is still there.
  private static let trust = Duration.seconds(1)
  /// How long nobody tries again to read what another process has for itself.
  private static let pause = Duration.seconds(1)
  private static let attempts = 4

  init(directory: String, clock: any ImageClock) {
    self.directory = directory
    self.clock = clock
  }

  /// Runs `body` on the database, and again on a fresh one when it turned out that this one can't be used.
  func perform<Result>(forWriting: Bool, _ body: (Database) throws -> Result) throws -> Result {
    guard forWriting else { return try attempt(forWriting: false, body) }
    return try FileLimit.asError { try attempt(forWriting: true, body) }
  }

  private func attempt<Result>(forWriting: Bool, _ body: (Database) throws -> Result) throws -> Result {
    if !forWriting { try checkOccupation() }
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
        throw noted(failure)
      }
    }
    return try body(try opened(forWriting))
  }

  /// Runs `body` on the database where it is open and still in its directory.
  func performWhereOpen(_ body: (Database) throws -> Void) throws {
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

  /// Gives back the room that is kept for a full disk; returns whether there was any.
  func releaseReserve() -> Bool { (try? CacheDirectory(directory, makesMissing: false).releaseReserve()) ?? false }

  /// Makes room without writing a byte; returns whether there was a way to.
  func makeRoom() -> Bool {
    guard let directory = try? CacheDirectory(directory, makesMissing: false) else { return false }
    return directory.releaseReserve() || Database.removeOldestBodies(in: directory)
  }

  /// Takes away all that there is, which needs no room: the next one who needs the database makes it anew.
  func startAnew() throws {
    close()
    let directory = try CacheDirectory(directory, makesMissing: true)
    try directory.withLock {
      try directory.checkIndexOwner()
      directory.removeIndex()
      directory.removeFile(CacheDirectory.indexAside)
      _ = directory.releaseReserve()
      BodyFiles(directory: directory).removeAll()
    }
  }

  private func forget(_ database: Database) {
    state.withLock { state in
      if state.database === database { state.database = nil }
    }
  }

  /// Notes that another process is in the way; returns the failure as it is.
  private func noted(_ failure: SQLiteFailure) -> SQLiteFailure {
    occupation.withLock { $0 = Occupation(failure: failure, end: ContinuousClock.now + Self.pause) }
    return failure
  }

  private func checkOccupation() throws(SQLiteFailure) {
    let failure = occupation.withLock { occupation -> SQLiteFailure? in
      guard let known = occupation else { return nil }
      if ContinuousClock.now < known.end { return known.failure }
      occupation = nil
      return nil
    }
    if let failure { throw failure }
  }

  /// Whoever needs the database while another opens it waits for that, since two would only open it twice.
  private func opened(_ forWriting: Bool) throws -> Database {
    let now = clock.uptime
    return try state.withLock { state in
      if let database = state.database {
        if !forWriting && now - state.checked < Self.trust { return database }
        if database.isCurrent {
          state.checked = now
          return database
        }
        // Also where no other one can be opened, this one is not to be used any more.
        state.database = nil
      }
      try checkOccupation()
      do {
        let database = try FileLimit.asError { try Database.open(directory) }
        state.database = database
        state.checked = now
        return database
      } catch let failure as SQLiteFailure where failure.isBusy {
        throw noted(failure)
      }
    }
  }
}
