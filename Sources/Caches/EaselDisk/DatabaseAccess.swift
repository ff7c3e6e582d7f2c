import CEaselDisk
import EaselCore
import Glibc

/// Opens the database when it is needed, and again when it was damaged or taken away.
final class DatabaseAccess: Sendable {
  private struct State {
    var database: Database?
    var checked = Duration.zero
  }

  private let directory: String
  private let clock: any ImageClock
  private let state = Locked(State())

  /// How long a reader takes it for granted that the directory is still there.
  private static let trust = Duration.seconds(1)
  private static let attempts = 4

  init(directory: String, clock: any ImageClock) {
    self.directory = directory
    self.clock = clock
  }

  /// Runs `body` on the database, and again on a fresh one when it turned out that this one can't be used.
  func perform<Result>(forWriting: Bool, _ body: (Database) throws -> Result) throws -> Result {
    for _ in 1..<Self.attempts {
      let database = try opened(forWriting)
      do {
        return try body(database)
      } catch let failure as SQLiteFailure where failure.isDamage && !database.isReadOnly {
        database.discard()
        forget(database)
      } catch let failure as SQLiteFailure where failure.mayBeMissing && !database.isCurrent {
        forget(database)
      } catch let error as SystemError where error.code == ENOENT {
        forget(database)
      } catch let failure as SQLiteFailure where failure.isBusy {
        // Ten seconds were not enough; others write all the time, and the next attempt may be luckier.
      }
    }
    return try body(try opened(forWriting))
  }

  /// Runs `body` on the database where it is open and still in its directory.
  func performWhereOpen(_ body: (Database) throws -> Void) throws {
    guard let database = state.withLock({ $0.database }), database.isCurrent else { return }
    try body(database)
  }

  func close() { state.withLock { $0.database = nil } }

  private func forget(_ database: Database) {
    state.withLock { state in
      if state.database === database { state.database = nil }
    }
  }

  /// Whoever needs the database while another opens it waits for that, since two would only open it twice.
  private func opened(_ forWriting: Bool) throws -> Database {
    let now = clock.uptime
    return try state.withLock { state in
      if let database = state.database {
        if !forWriting && now - state.checked < Self.trust { return database }
        state.checked = now
        if database.isCurrent { return database }
      }
      let database = try Database.open(directory)
      state.database = database
      state.checked = now
      return database
    }
  }
}
