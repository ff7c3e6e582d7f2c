import CEaselDisk
import EaselCore
import FoundationEssentials
import Glibc

/// An open database: one connection that writes, and a few that read without waiting for it.
final class Database: Sendable {
  private struct Identity: Equatable {
    var device: UInt
    var number: UInt
  }

  let directory: String
  /// What the numbers of rows are made with, so that nobody outside can choose keys that share one.
  let seed: UInt64
  let files: BodyFiles

  private let writer: Locked<Connection>?
  private let readers: Locked<[Connection]>
  private let readingMode: Connection.Mode
  private let identity: Identity?

  private static let keptReaders = 4

  private init(directory: String, writer: Connection?, reader: Connection, mode: Connection.Mode) throws {
    self.directory = directory
    guard let seed = Int64(try reader.value("SELECT seed FROM store") ?? "") else {
      throw SQLiteFailure(SQLITE_CORRUPT, "The table of the store is empty.")
    }
    self.seed = UInt64(bitPattern: seed)
    files = BodyFiles(directory: "\(directory)/bodies")
    self.writer = writer.map { Locked($0) }
    readers = Locked([reader])
    readingMode = mode
    identity = Self.identity(of: directory)
  }

  /// Opens the database of a directory, and makes both where they are missing or damaged; where nobody may write, it is
  /// opened for reading.
  static func open(_ directory: String) throws -> Database {
    do {
      try? FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      return try withFileLock(directory) {
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
    let path = path(directory)
    do {
      return try Database(
        directory: directory, writer: nil, reader: Connection(path: path, mode: .reading), mode: .reading)
    } catch let failure as SQLiteFailure where !failure.isDamage {
      return try Database(
        directory: directory, writer: nil, reader: Connection(path: path, mode: .frozen), mode: .frozen)
    }
  }

  /// Takes a damaged database away, unless another process did so already.
  func discard() {
    guard writer != nil else { return }
    try? Self.withFileLock(directory) {
      if isCurrent { Self.removeFiles(directory) }
    }
  }

  var isReadOnly: Bool { writer == nil }

  /// Whether its file is still the one in the directory.
  var isCurrent: Bool { identity != nil && Self.identity(of: directory) == identity }

  /// Reads on a connection of its own.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
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
    guard let writer else {
      throw ImageError(
        .cacheFailed, "The cache directory \(directory) can only be read; nothing was stored or removed.",
        subject: directory, cause: SystemError(code: EROFS))
    }
    return try writer.withLock { connection in
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
  func maintain(_ body: (Connection) throws -> Void) throws {
    try writer?.withLock { try body($0) }
  }

  private static func openForWriting(_ directory: String) throws -> Database {
    let path = path(directory)
    let writer = try Connection(path: path, mode: .writing)
    try Schema.prepare(writer, directory: directory)
    return try Database(
      directory: directory, writer: writer, reader: Connection(path: path, mode: .reading), mode: .reading)
  }

  private static func path(_ directory: String) -> String { "\(directory)/index.sqlite" }

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
    let descriptor = Glibc.open("\(directory)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Where the file cannot be made nothing else can be, and what follows says why.
    guard descriptor >= 0 else { return try body() }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
    return try body()
  }
}
