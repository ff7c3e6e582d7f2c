import CEaselDisk
import EaselCore
import Glibc
import Synchronization

/// Guards the file in which processes share the index of the log; it is the only file that SQLite maps.
///
/// If this file is truncated, a process that reads the missing part ends (SIGBUS), so its size is checked before each
/// use. A truncation in the microseconds between the check and the use cannot be prevented: SQLite cannot share a log
/// without the mapping, and a library must not install a signal handler.
final class LogIndexFile: Sendable {
  // This descriptor allows only status queries. When a process closes any other descriptor of a file, POSIX releases
  // all locks of the process on that file, including those of SQLite.
  private let descriptor: CInt
  private let directory: CacheDirectory
  private let knownSize = Atomic(0)

  private static let name = CacheDirectory.index + "-shm"

  init?(in directory: CacheDirectory) {
    self.directory = directory
    descriptor = easel_disk_open_for_asking(directory.descriptor, Self.name)
    guard descriptor >= 0 else { return nil }
    noteSize()
  }

  deinit { close(descriptor) }

  /// True when the file is smaller than before.
  var isTruncated: Bool {
    guard let size = status?.size else { return false }
    let known = knownSize.load(ordering: .relaxed)
    if size > known { knownSize.max(size, ordering: .relaxed) }
    return size < known
  }

  /// True when the file was removed.
  ///
  /// Its mapping stays valid, but other processes do not see its content.
  var wasRemoved: Bool { status?.links == 0 }

  /// Remembers the present size.
  func noteSize() {
    guard let size = status?.size else { return }
    knownSize.max(size, ordering: .relaxed)
  }

  /// Extends the file to its former size.
  func extend() throws {
    let size = knownSize.load(ordering: .relaxed)
    // Without disk space for the new part, reading it would still end the process. The space cannot be allocated
    // through another descriptor, because closing that would release the locks.
    var system = statvfs()
    guard fstatvfs(directory.descriptor, &system) != 0 || UInt(size) / UInt(max(1, system.f_frsize)) < system.f_bavail
    else { throw SystemError(code: ENOSPC) }
    // The file is not opened by name, because by now the name may be a link to someone else's file.
    guard let path = CacheDirectory.path(ofDescriptor: descriptor) ?? nameOfPlainFile else {
      throw SystemError(code: ELOOP)
    }
    guard truncate(path, size) == 0 else { throw SystemError(code: errno) }
  }

  private var nameOfPlainFile: String? {
    directory.status(of: Self.name).flatMap {
      CacheDirectory.reasonAgainst($0) == nil ? directory.reachablePath(of: Self.name) : nil
    }
  }

  private var status: (size: Int, links: Int)? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    return (Int(status.st_size), Int(status.st_nlink))
  }
}
