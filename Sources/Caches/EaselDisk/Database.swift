import CEaselDisk
import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc
import Synchronization

/// An open database: one connection that writes, and a few that read without waiting for writes.
///
/// The writing connection is opened at the first write.
final class Database: Sendable {
  let directory: CacheDirectory
  let files: BodyFiles
  /// True when nothing can be written in the directory.
  let isReadOnly: Bool

  // Used only by the thread whose turn it is.
  private let writer: Locked<Connection?>
  private let turn = WriteLock()
  private let readers: Locked<[Connection]>
  private let readingMode: Connection.Mode
  private let identity: CacheDirectory.Identity?
  private let sharedIndex: LogIndexFile?
  /// The seed; 0 until it is first read.
  private let knownSeed = Atomic<UInt64>(0)

  private static let keptReaders = 4

  private init(
    directory: CacheDirectory, writer: Connection?, reader: Connection, mode: Connection.Mode, isReadOnly: Bool
  ) {
    self.directory = directory
    files = BodyFiles(directory: directory)
    self.writer = Locked(writer)
    self.isReadOnly = isReadOnly
    readers = Locked([reader])
    readingMode = mode
    identity = Self.identity(in: directory)
    sharedIndex = isReadOnly ? nil : LogIndexFile(in: directory)
  }

  deinit {
    FileLimit.asError {
      // Closing a connection that writes also reads the shared index, so the index is checked first.
      if writer.withLock({ $0 != nil }) { try? checkSharedIndex() }
      // The last connection that closes copies the log into the database. A reading connection cannot do that, and the
      // next program that opens the database would have to read the whole log. The readers are therefore closed first.
      readers.withLock { $0 = [] }
      // The writer reaches its files through the descriptor of the directory, so it must be closed before the
      // directory.
      writer.withLock { $0 = nil }
    }
  }

  /// Opens the database of a directory; creates both when they are missing or damaged.
  ///
  /// On a read-only disk it opens the database for reading.
  static func open(_ path: String) throws -> Database {
    for _ in 0..<3 {
      do {
        return try openOrCreate(in: CacheDirectory(path, makesMissing: true))
      } catch let error as SystemError where error.code == ENOENT {
        // The directory was removed just now, so the loop tries again.
      }
    }
    return try openOrCreate(in: CacheDirectory(path, makesMissing: true))
  }

  private static func openOrCreate(in directory: CacheDirectory) throws -> Database {
    try directory.refuseForeignIndex()
    do {
      return try directory.withLock {
        try directory.checkIndex()
        do {
          if let database = try openReady(directory) { return database }
        } catch let failure as SQLiteFailure where !failure.isBusy && !failure.isFull {
          // The database is missing or damaged; opening it for writing shows which.
        }
        do {
          return try openForWriting(directory)
        } catch let failure as SQLiteFailure where failure.isDamage {
          try directory.removeDamagedIndex()
          return try openForWriting(directory)
        }
      }
    } catch let failure as SQLiteFailure where failure.isReadOnly {
      guard let database = try? openForReading(in: directory) else { throw failure }
      return database
    }
  }

  /// Opens an existing database without writing anything.
  ///
  /// This works even if the disk has no room for the notes that readers leave for each other.
  static func openForReading(in directory: CacheDirectory) throws -> Database {
    do {
      return try openReader(in: directory, .reading)
    } catch let failure as SQLiteFailure where !failure.isDamage && !failure.isBusy {
      return try openReader(in: directory, .frozen)
    }
  }

  /// The secret seed of row numbers; without it, an outsider could choose keys with the same row number.
  func seed() throws -> UInt64 {
    let known = knownSeed.load(ordering: .relaxed)
    if known != 0 { return known }
    guard let seed = Int64(try read { try $0.value("SELECT seed FROM store") } ?? "") else {
      throw SQLiteFailure(SQLITE_CORRUPT, "The table of the store is empty.")
    }
    knownSeed.store(UInt64(bitPattern: seed), ordering: .relaxed)
    return UInt64(bitPattern: seed)
  }

  /// Removes a damaged database, unless another process has already removed it.
  ///
  /// Failures are ignored, because opening the next database reports them. A refusal is thrown.
  func discard() throws(ImageError) {
    guard !isReadOnly else { return }
    do {
      try directory.withLock {
        if isCurrent { try directory.removeDamagedIndex() }
      }
    } catch let refusal as ImageError {
      throw refusal
    } catch {}
  }

  /// True while the path leads to the same directory, and the directory has the same file.
  var isCurrent: Bool {
    identity != nil && directory.isCurrent && Self.identity(in: directory) == identity
      && sharedIndex?.wasRemoved != true
  }

  /// Runs `body` on a reading connection that no other thread uses.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try checkSharedIndex()
    let idle = readers.withLock { $0.popLast() }
    let reader = try idle ?? Self.connection(directory, readingMode)
    defer {
      let surplus = readers.withLock { readers -> Connection? in
        guard readers.count < Self.keptReaders else { return reader }
        readers.append(reader)
        return nil
      }
      withExtendedLifetime(surplus) {}
    }
    return try body(reader)
  }

  /// Runs `body` in a transaction, so that either all of its changes are made or none.
  func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try withWriter { try Self.transact($0, body) }
  }

  /// Runs `body` like `write`, but only if nobody else writes in this or another process; otherwise returns false.
  func writeWithoutWaiting(_ body: (Connection) throws -> Void) throws -> Bool {
    guard !isReadOnly, turn.takeIfFree() else { return false }
    defer { turn.pass() }
    do {
      try withOpenWriter(waiting: 0) { try Self.transact($0, body) }
      return true
    } catch let failure as SQLiteFailure where failure.isBusy {
      return false
    }
  }

  /// Runs work that must not be inside a transaction.
  func maintain(_ body: (Connection) throws -> Void) throws { try withWriter(body) }

  private static func transact<Result>(
    _ connection: Connection, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try connection.run(.begin)
    do {
      let result = try body(connection)
      try connection.run(.commit)
      return result
    } catch {
      try? connection.run(.rollback)
      throw error
    }
  }

  /// The milliseconds that a write waits for other writers, in this process and in others together.
  private static let writingTimeout = 2000

  private func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !isReadOnly else { throw readOnlyError(cause: SystemError(code: EROFS)) }
    let start = ContinuousClock.now
    guard turn.take(withinMilliseconds: Self.writingTimeout) else {
      throw SQLiteFailure(SQLITE_BUSY, "Other threads have been writing for \(Self.writingTimeout) ms.")
    }
    defer { turn.pass() }
    let waited = Int((ContinuousClock.now - start) / .milliseconds(1))
    return try withOpenWriter(waiting: max(0, Self.writingTimeout - waited), body)
  }

  private func withOpenWriter<Result>(
    waiting timeout: Int, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try checkSharedIndex()
    defer { sharedIndex?.noteSize() }
    let opened = try writer.withLock { $0 } ?? openedWriter()
    writer.withLock { $0 = opened }
    opened.wait(atMost: timeout)
    return try body(opened)
  }

  private func openedWriter() throws -> Connection {
    do {
      let writer = try Self.connection(directory, .writing)
      try Schema.current.prepare(writer, directory: directory.path)
      directory.keepReserve()
      return writer
    } catch let failure as SQLiteFailure where failure.isReadOnly && isCurrent {
      throw readOnlyError(cause: failure)
    }
  }

  private func readOnlyError(cause: any Error) -> ImageError {
    ImageError(
      .cacheFailed, "The cache directory \(directory.path) is read-only; nothing was stored or removed.",
      subject: directory.path, cause: cause)
  }

  /// Extends the shared index if it was truncated: SQLite maps the file, and reading a missing part would end the
  /// process.
  private func checkSharedIndex() throws {
    guard let sharedIndex, sharedIndex.isTruncated else { return }
    try directory.withLock {
      guard sharedIndex.isTruncated else { return }
      let connection = try Connection(unprepared: directory.reachablePath(of: CacheDirectory.index))
      try sharedIndex.extend()
      // The remaining part may be inconsistent. Without its header, SQLite rebuilds it from the log.
      try connection.forgetSharedIndex()
    }
  }

  /// Opens a database that is ready for use; its writing connection is opened later.
  private static func openReady(_ directory: CacheDirectory) throws -> Database? {
    let reader = try Connection(path: directory.reachablePath(of: CacheDirectory.index), mode: .reading)
    guard reader.version == Int64(Schema.current.version), reader.mark == Schema.mark(of: Schema.current.version) else {
      return nil
    }
    return Database(directory: directory, writer: nil, reader: reader, mode: .reading, isReadOnly: false)
  }

  private static func openReader(in directory: CacheDirectory, _ mode: Connection.Mode) throws -> Database {
    let reader = try connection(directory, mode)
    let database = Database(directory: directory, writer: nil, reader: reader, mode: mode, isReadOnly: true)
    // Only reading shows whether the database can be read in this mode.
    _ = try database.seed()
    return database
  }

  private static func openForWriting(_ directory: CacheDirectory) throws -> Database {
    // The file is created here, because SQLite would let everyone read it. SQLite's other files get the same
    // permissions.
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = openat(directory.descriptor, CacheDirectory.index, flags, 0o600)
    if descriptor >= 0 { close(descriptor) }
    let writer = try connection(directory, .writing)
    try Schema.current.prepare(writer, directory: directory.path)
    directory.keepReserve()
    return try Database(
      directory: directory, writer: writer, reader: connection(directory, .reading), mode: .reading,
      isReadOnly: false)
  }

  /// Connects to the database of a directory after checking its files, because opening a pipe would block for ever.
  private static func connection(_ directory: CacheDirectory, _ mode: Connection.Mode) throws -> Connection {
    try directory.checkIndex()
    return try Connection(path: directory.reachablePath(of: CacheDirectory.index), mode: mode)
  }

  private static func identity(in directory: CacheDirectory) -> CacheDirectory.Identity? {
    directory.status(of: CacheDirectory.index).map { CacheDirectory.Identity($0) }
  }
}
