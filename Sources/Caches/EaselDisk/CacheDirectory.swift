import CEaselDisk
import EaselCore
import FoundationEssentials
import Glibc

/// The directory of a store.
///
/// It is held open, so that its files are reached without following a link.
///
/// Everyone who can write into a cache decides which pictures are shown, and a link could redirect writes and removals
/// to other places. A directory is therefore refused if it is a link, or if others may write it.
final class CacheDirectory: Sendable {
  /// Identifies a file among all files of this machine.
  struct Identity: Equatable {
    var device: UInt
    var number: UInt

    init(_ status: stat) { (device, number) = (UInt(status.st_dev), UInt(status.st_ino)) }
  }

  let path: String
  let descriptor: CInt
  private let identity: Identity
  private let isOutOfReach: Bool

  /// The name of the database; `indexFiles` also has the names of the files that SQLite puts beside it.
  static let index = "index.sqlite"
  static let indexFiles = ["", "-wal", "-shm", "-journal"].map { index + $0 }

  init(_ path: String, makesMissing: Bool) throws {
    self.path = path
    // The slash at the end is removed, because with it the system would follow a link.
    let name = Self.withoutEnd(path)
    var descriptor = easel_disk_open_folder(name)
    if descriptor < 0, errno == ENOENT, makesMissing {
      try? FileManager.default.createDirectory(
        atPath: name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      descriptor = easel_disk_open_folder(name)
    }
    guard descriptor >= 0 else { throw Self.error(errno, opening: name) }
    self.descriptor = descriptor
    var status = stat()
    fstat(descriptor, &status)
    identity = Identity(status)
    isOutOfReach = Self.isOutOfReach(path)
    // From here on, `deinit` closes the descriptor, even if this initializer throws.
    try Self.check(status, of: path)
  }

  deinit { close(descriptor) }

  /// Returns a path for code that opens files by path.
  ///
  /// It leads into this directory, even if another directory is now at `path`.
  func reachablePath(of name: String) -> String {
    // The direct path is used when it is safe: the system takes several times as long for a path through a descriptor.
    if !Self.hasDescriptorPaths || isOutOfReach && isCurrent { return "\(path)/\(name)" }
    return "/proc/self/fd/\(descriptor)/\(name)"
  }

  /// True when only this user and root can replace the directory at a path or one of its parents.
  private static func isOutOfReach(_ path: String) -> Bool {
    guard path.hasPrefix("/") else { return false }
    var parent = withoutEnd(path)[...]
    while let slash = parent.lastIndex(of: "/") {
      parent = parent[..<slash]
      var status = stat()
      guard lstat(parent.isEmpty ? "/" : String(parent), &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        isTrusted(status.st_uid)
      else { return false }
      // In a sticky directory, only the owner of a file can move the file.
      guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else { return false }
    }
    return true
  }

  /// The path of an open file, whatever its name is now; nil when the system has no such paths.
  static func path(ofDescriptor descriptor: CInt) -> String? {
    hasDescriptorPaths ? "/proc/self/fd/\(descriptor)" : nil
  }

  private static let hasDescriptorPaths = access("/proc/self/fd", X_OK) == 0

  /// True while the path still leads to this directory without a link.
  var isCurrent: Bool {
    var status = stat()
    return lstat(Self.withoutEnd(path), &status) == 0 && Identity(status) == identity
  }

  /// The status of a file; nil when it does not exist.
  ///
  /// Links are not followed.
  func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  func removeFile(_ name: String) { unlinkat(descriptor, name, 0) }

  /// Throws unless the files that SQLite will open are plain files, which only trusted users can write.
  func checkIndex() throws {
    for name in Self.indexFiles {
      // If a folder has this name, opening fails later with a clear error.
      guard let status = status(of: name), status.st_mode & S_IFMT != S_IFDIR else { continue }
      if let reason = Self.reasonAgainst(status) { throw foreign(name, reason) }
    }
  }

  func foreign(_ name: String, _ reason: String, advice: String = "Remove that file") -> ImageError {
    ImageError(
      .cacheFailed, "The cache in \(path) is not used: its \(name) \(reason). \(advice), or use another directory.",
      subject: path)
  }

  /// The reason why this file cannot come from a cache; nil when it can.
  static func reasonAgainst(_ status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: return "is a link, which a cache never makes"
    default: return "is not a regular file"
    }
    if status.st_nlink > 1 { return "has a second name (a hard link)" }
    if !isTrusted(status.st_uid) { return "belongs to another user (\(status.st_uid))" }
    return status.st_mode & 0o022 == 0 ? nil : "can be changed by other users"
  }

  /// True for this user and root, who can write everything in the directory anyway.
  private static func isTrusted(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }

  /// True when the folder belongs to a trusted user, and nobody else may write it.
  static func isOwnFolder(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFDIR && isTrusted(status.st_uid) && status.st_mode & 0o022 == 0
  }

  private static func check(_ status: stat, of path: String) throws(ImageError) {
    guard isTrusted(status.st_uid) else {
      throw refusal(
        path, "it belongs to another user (\(status.st_uid)), who could put pictures into it",
        "Run as that user, give it to this one (chown \(geteuid()) \(path))")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw refusal(
        path, "other users may write to it and could put pictures into it",
        "Remove that permission (chmod go-w \(path))")
    }
  }

  private static func error(_ code: CInt, opening path: String) -> any Error {
    var status = stat()
    guard code == ENOTDIR || code == ELOOP, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
      return SystemError(code: code)
    }
    let target = realpath(path, nil)
    defer { free(target) }
    let advice = target.map { "Name the directory that it leads to (\(String(cString: $0)))" }
    return refusal(path, "it is a link, which could be changed to lead elsewhere", advice ?? "Remove it")
  }

  private static func refusal(_ path: String, _ reason: String, _ advice: String) -> ImageError {
    ImageError(
      .cacheFailed, "The directory \(path) is not used as a cache: \(reason). \(advice), or use another directory.",
      subject: path)
  }

  private static func withoutEnd(_ path: String) -> String {
    var name = path[...]
    while name.utf8.count > 1, name.hasSuffix("/") || name.hasSuffix("/.") { name.removeLast() }
    return String(name)
  }
}
