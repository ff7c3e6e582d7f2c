import CEaselDisk
import EaselCore
import Glibc

/// Runs work that only one process at a time may do.
extension CacheDirectory {
  /// The longest time that opening waits for another process.
  private static let timeout = Duration.seconds(1)

  /// Runs `body` while no other process opens or removes the database.
  ///
  /// If the files of two databases were mixed, the next write would damage them.
  func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    let file = openat(descriptor, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    let reason = errno
    guard file >= 0 else {
      if let status = status(of: "lock"), let reason = Self.reasonAgainst(status) { throw foreign("lock", reason) }
      guard reason != ENOENT else { throw SystemError(code: reason) }
      // If the directory refuses this file, it refuses all other files too. The work itself then fails with the reason.
      return try body()
    }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    if let reason = Self.reasonAgainst(status) { throw foreign("lock", reason) }
    try lock(file, status)
    return try body()
  }

  private func lock(_ file: CInt, _ status: stat) throws(SQLiteFailure) {
    let deadline = ContinuousClock.now + Self.timeout
    var pause: useconds_t = 500
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      // Some file systems have no locks; there, the processes are not coordinated.
      guard errno == EWOULDBLOCK else { return }
      guard ContinuousClock.now < deadline else {
        throw SQLiteFailure(
          SQLITE_BUSY, "\(LockHolders.description(of: [status])) holds \(path)/lock, which opening the cache needs.")
      }
      usleep(pause)
      pause = min(20_000, pause * 2)
    }
  }

  /// Names the processes that hold locks on files of the cache.
  var lockHolders: String {
    LockHolders.description(of: (Self.indexFiles + ["lock"]).compactMap { status(of: $0) })
  }
}
