import EaselCore
import EaselSupport
import FoundationEssentials

/// A cache directory that another program fills, and from which this one only reads.
final class ReadOnlyDirectory: Sendable {
  private struct State {
    var database: Database?
    var tried: Duration?
    var refusal: ImageError?
  }

  private let directory: String
  private let clock: any ImageClock
  private let state = Locked(State())

  /// The time after which a directory that could not be opened is tried again.
  private static let timeout = Duration.seconds(5)

  init(_ directory: String, clock: any ImageClock) {
    self.directory = directory
    self.clock = clock
  }

  func entry(for key: CacheKey, limits: SQLiteDiskStore.Limits) -> CacheEntry? {
    looking(for: key) { database, key in
      guard case .entry(let entry, let version, _) = try database.find(key, key.id), !isExpired(version.dates, limits)
      else {
        return nil
      }
      return entry
    }
  }

  func contains(_ key: CacheKey, limits: SQLiteDiskStore.Limits) -> Bool {
    looking(for: key) { database, key in
      try database.dates(key, key.id).flatMap { isExpired($0, limits) ? nil : true }
    } ?? false
  }

  /// True when an entry has expired.
  ///
  /// Limits from the last use are ignored, because the directory is filled on purpose.
  private func isExpired(_ dates: Database.Dates, _ limits: SQLiteDiskStore.Limits) -> Bool {
    limits.ageBasis != .lastUse && limits.isExpired(dates, at: clock.date.timeIntervalSince1970)
  }

  /// Runs a lookup in the directory.
  ///
  /// Every failure counts as a miss, because another program fills the directory.
  private func looking<Result>(for key: CacheKey, _ body: (Database, DiskKey) throws -> Result?) -> Result? {
    guard key.isStorable, let database = opened() else { return nil }
    do {
      return try body(database, DiskKey(key, seed: database.seed()))
    } catch {
      state.withLock { $0.database = nil }
      return nil
    }
  }

  private func opened() -> Database? {
    let now = clock.uptime
    return state.withLock { state in
      if let database = state.database { return database }
      if let tried = state.tried, now - tried < Self.timeout { return nil }
      state.tried = now
      do {
        state.database = try Database.openForReading(in: CacheDirectory(directory, makesMissing: false))
      } catch {
        state.refusal = error as? ImageError
      }
      return state.database
    }
  }

  /// The reason why the directory could not be opened; each failed attempt returns it once.
  func takeRefusal() -> ImageError? {
    state.withLock { state in
      defer { state.refusal = nil }
      return state.refusal
    }
  }
}
