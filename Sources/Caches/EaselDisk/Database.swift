import CEaselDisk
import EaselCore
import FoundationEssentials
import Glibc
import Synchronization

/// An open database: one connection that writes, and a few that read without waiting for it.
///
/// The one that writes is opened when there is something to write.
final class Database: Sendable {
  private struct Identity: Equatable {
    var device: UInt
    var number: UInt
  }

  let directory: String
  let files: BodyFiles
  /// Whether it was opened where nobody may write.
  let isReadOnly: Bool

  private let writer: Locked<Connection?>
  private let readers: Locked<[Connection]>
  private let readingMode: Connection.Mode
  private let identity: Identity?
  private let sharedIndex: SharedIndex?
  /// 0 until it is needed.
  private let knownSeed = Atomic<UInt64>(0)

  private static let keptReaders = 4

  private init(
    directory: String, writer: Connection?, reader: Connection, mode: Connection.Mode, isReadOnly: Bool
  ) {
    self.directory = directory
    files = BodyFiles(directory: "\(directory)/bodies")
    self.writer = Locked(writer)
    self.isReadOnly = isReadOnly
    readers = Locked([reader])
    readingMode = mode
    identity = Self.identity(of: directory)
    sharedIndex = isReadOnly ? nil : SharedIndex(path: "\(Self.path(directory))-shm")
  }

  deinit {
    // Who closes a connection that writes looks at the shared index, too.
    if writer.withLock({ $0 != nil }) { try? checkSharedIndex() }
    // The last connection to close puts the log into the database, which one that only reads cannot: whoever opened it
    // next would have to read all of the log.
    readers.withLock { $0 = [] }
  }

  /// Opens the database of a directory, and makes both where they are missing or damaged; where nobody may write, it is
  /// opened for reading.
  static func open(_ directory: String) throws -> Database {
    do {
      return try withFileLock(directory) {
        if let database = try? openReady(directory) { return database }
        do {
          return try openForWriting(directory)
        } catch let failure as SQLiteFailure where failure.isDamage {
          removeFiles(directory)
          return try openForWriting(directory)
        }
      }
    } catch let failure as SQLiteFailure where failure.isReadOnly {
      guard let database = try? openForReading(directory) else { throw failure }
      return database
    }
  }

  /// Opens what somebody else made, without writing anything.
  static func openForReading(_ directory: String) throws -> Database {
    do {
      return try openForReading(directory, .reading)
    } catch let failure as SQLiteFailure where !failure.isDamage {
      return try openForReading(directory, .frozen)
    }
  }

  /// What the numbers of rows are made with, so that nobody outside can choose keys that share one.
  func seed() throws -> UInt64 {
    let known = knownSeed.load(ordering: .relaxed)
    if known != 0 { return known }
    guard let seed = Int64(try read { try $0.value("SELECT seed FROM store") } ?? "") else {
      throw SQLiteFailure(SQLITE_CORRUPT, "The table of the store is empty.")
    }
    knownSeed.store(UInt64(bitPattern: seed), ordering: .relaxed)
    return UInt64(bitPattern: seed)
  }

  /// Takes a damaged database away, unless another process did so already.
  func discard() {
    guard !isReadOnly else { return }
    try? Self.withFileLock(directory) {
      if isCurrent { Self.removeFiles(directory) }
    }
  }

  /// Whether its file is still the one in the directory.
  var isCurrent: Bool {
    identity != nil && Self.identity(of: directory) == identity && sharedIndex?.wasTakenAway != true
  }

  /// Reads on a connection of its own.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try checkSharedIndex()
    let idle = readers.withLock { $0.popLast() }
    let reader = try idle ?? Connection(path: Self.path(directory), mode: readingMode)
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

  /// Writes all that `body` does, or nothing of it.
  func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try withWriter { connection in
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
  }

  /// Does what must not be inside a transaction.
  func maintain(_ body: (Connection) throws -> Void) throws { try withWriter(body) }

  private func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !isReadOnly else { throw readOnlyError(cause: SystemError(code: EROFS)) }
    try checkSharedIndex()
    defer { sharedIndex?.noteSize() }
    return try writer.withLock { writer in
      if let writer { return try body(writer) }
      let opened = try openedWriter()
      writer = opened
      return try body(opened)
    }
  }

  private func openedWriter() throws -> Connection {
    do {
      let writer = try Connection(path: Self.path(directory), mode: .writing)
      try Schema.current.prepare(writer, directory: directory)
      return writer
    } catch let failure as SQLiteFailure where failure.isReadOnly && isCurrent {
      throw readOnlyError(cause: failure)
    }
  }

  private func readOnlyError(cause: any Error) -> ImageError {
    ImageError(
      .cacheFailed, "The cache directory \(directory) can only be read; nothing was stored or removed.",
      subject: directory, cause: cause)
  }

  /// Makes the index that processes share whole again when somebody cut it: SQLite maps it, so touching what is missing
  /// would end the process.
  private func checkSharedIndex() throws {
    guard let sharedIndex, sharedIndex.isCut else { return }
    try Self.withFileLock(directory) {
      guard sharedIndex.isCut else { return }
      let connection = try Connection(unprepared: Self.path(directory))
      try sharedIndex.extend()
      // What is left of it may be half of the truth; without its header it is made anew of the log.
      try connection.forgetSharedIndex()
    }
  }

  /// Opens what is ready for use, for reading at first.
  private static func openReady(_ directory: String) throws -> Database? {
    let reader = try Connection(path: path(directory), mode: .reading)
    guard reader.version == Int64(Schema.current.version) else { return nil }
    return Database(directory: directory, writer: nil, reader: reader, mode: .reading, isReadOnly: false)
  }

  private static func openForReading(_ directory: String, _ mode: Connection.Mode) throws -> Database {
    let reader = try Connection(path: path(directory), mode: mode)
    let database = Database(directory: directory, writer: nil, reader: reader, mode: mode, isReadOnly: true)
    // Only reading tells whether it can be read in this way.
    _ = try database.seed()
    return database
  }

  private static func openForWriting(_ directory: String) throws -> Database {
    let path = path(directory)
    // SQLite would let everybody read what was loaded; the files beside the database follow it in this.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
    let writer = try Connection(path: path, mode: .writing)
    try Schema.current.prepare(writer, directory: directory)
    return try Database(
      directory: directory, writer: writer, reader: Connection(path: path, mode: .reading), mode: .reading,
      isReadOnly: false)
  }

  private static func path(_ directory: String) -> String { "\(directory)/index.sqlite" }

  /// Whether a folder has taken the place of the database in a directory.
  static func isFolder(in directory: String) -> Bool {
    var status = stat()
    return stat(path(directory), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func removeFiles(_ directory: String) {
    for ending in ["", "-wal", "-shm"] { unlink(path(directory) + ending) }
  }

  private static func identity(of directory: String) -> Identity? {
    var status = stat()
    guard stat(path(directory), &status) == 0 else { return nil }
    return Identity(device: UInt(status.st_dev), number: UInt(status.st_ino))
  }

  /// Opening and taking away exclude each other among all processes: a database whose files come from two would be
  /// damaged by the next write.
  private static func withFileLock<Result>(_ directory: String, _ body: () throws -> Result) throws -> Result {
    let path = "\(directory)/lock"
    var descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT {
      try? FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    // Where the file cannot be made nothing else can be, and what follows says why.
    guard descriptor >= 0 else { return try body() }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
    return try body()
  }
}
