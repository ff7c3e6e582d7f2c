import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// The table of purges in a cache directory, for restarts and for all processes that use the directory.
package struct PurgeFile: Sendable {
  package static let name = "purges"
  package static let lockName = "purges.lock"

  /// The version of the file, which each change changes.
  package struct Version: Hashable, Sendable {
    private let inode: UInt64
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    fileprivate init(_ status: stat) {
      inode = UInt64(status.st_ino)
      (size, seconds, nanoseconds) = (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private let directory: String
  private var path: String { "\(directory)/\(Self.name)" }

  package init(in directory: String) { self.directory = directory }

  /// The version of the file; nil if there is none.
  package var version: Version? {
    var status = stat()
    return lstat(path, &status) == 0 ? Version(status) : nil
  }

  /// True if a server uses the directory, or has used it.
  package var isInUse: Bool {
    var status = stat()
    return lstat("\(directory)/\(Self.lockName)", &status) == 0
  }

  /// Makes the directory, and shows that a server uses it.
  func prepare() throws {
    try makeDirectory()
    try locked {}
  }

  /// Merges a table into the file.
  ///
  /// Returns the purges that only the file knew, and the version that the file has now. The file is written to the disk
  /// before this returns. It is not touched if it has all of the table.
  package func merge(_ table: PurgeTable, at now: UInt64) throws -> (news: [Purge: UInt64], version: Version?) {
    if table.latest == 0, version == nil { return ([:], nil) }
    try makeDirectory()
    return try locked {
      let (kept, isDamaged) = try read(at: now)
      let news = kept.purges(notIn: table)
      guard isDamaged || !table.purges(notIn: kept).isEmpty else { return (news, version) }
      var merged = table
      for (purge, number) in news { merged.note(purge, number) }
      merged.note(latest: kept.latest, latestTag: kept.latestTag)
      try write(merged)
      return (news, version)
    }
  }

  /// Adds purges under a number that is higher than all others; returns it.
  package func add(_ purges: [Purge], at now: UInt64) throws -> UInt64 {
    try makeDirectory()
    return try locked {
      var table = try read(at: now).table
      let number = max(table.latest + 1, now)
      for purge in purges { table.note(purge, number) }
      try write(table)
      return number
    }
  }

  /// The table in the file; a damaged one may have been about anything, so it counts as a purge of everything.
  private func read(at now: UInt64) throws -> (table: PurgeTable, isDamaged: Bool) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      guard errno == ENOENT else { throw failure("cannot be read") }
      return (PurgeTable(), false)
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &room, room.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("cannot be read") }
      if count == 0 { break }
      bytes += room.prefix(count)
    }
    if let text = String(validating: bytes, as: UTF8.self), let table = PurgeTable(text: text) {
      return (table, false)
    }
    var table = PurgeTable()
    table.note(.everything, now)
    return (table, true)
  }

  private func write(_ table: PurgeTable) throws {
    let new = "\(path).new"
    let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard file >= 0 else { throw failure("cannot be written") }
    var bytes = Array(table.text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        defer { close(file) }
        throw failure("cannot be written")
      }
      bytes = bytes.dropFirst(count)
    }
    let isOnDisk = fsync(file) == 0
    let isClosed = close(file) == 0
    guard isOnDisk, isClosed, rename(new, path) == 0 else { throw failure("cannot be written") }
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    _ = fsync(folder)
    close(folder)
  }

  private func makeDirectory() throws {
    var status = stat()
    guard stat(directory, &status) != 0 else { return }
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Lets one process after another work on the file.
  private func locked<Value>(_ body: () throws -> Value) throws -> Value {
    // The owner of the file may be another user, so that it is only read.
    let lock = open("\(directory)/\(Self.lockName)", O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard lock >= 0 else { throw failure("cannot be locked") }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 { guard errno == EINTR else { throw failure("cannot be locked") } }
    return try body()
  }

  private func failure(_ what: String) -> ImageError {
    let reason = String(cString: strerror(errno))
    return ImageError(
      .cacheFailed, "The table of purges \(path) \(what): \(reason). Check the directory of the cache.", subject: path)
  }
}
