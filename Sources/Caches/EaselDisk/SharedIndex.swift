import CEaselDisk
import EaselCore
import Glibc
import Synchronization

/// Watches over the file in which processes share the index of the log, the only one that SQLite maps.
///
/// Whoever cut it short would end each process that touches what is missing (SIGBUS), so its size is looked at before
/// each use. What happens between that and the use itself, within microseconds, nobody can prevent: SQLite has no way
/// to share a log without a mapping, and a handler of signals is not a library's to install.
final class SharedIndex: Sendable {
  // A descriptor that can do nothing but be asked. Closing any other one would end the locks that SQLite holds on the
  // file, for that is how POSIX wants it.
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

  /// Whether it is smaller than it was.
  var isCut: Bool {
    guard let size = status?.size else { return false }
    let known = knownSize.load(ordering: .relaxed)
    if size > known { knownSize.max(size, ordering: .relaxed) }
    return size < known
  }

  /// Whether there is no such file any more; what is mapped of it stays whole, but other processes do not see it.
  var wasTakenAway: Bool { status?.links == 0 }

  /// Remembers how large it has become.
  func noteSize() {
    guard let size = status?.size else { return }
    knownSize.max(size, ordering: .relaxed)
  }

  /// Makes it as large as it was.
  func extend() throws {
    let size = knownSize.load(ordering: .relaxed)
    // Where there is no room for it, touching it would end the process just as well. Taking the room by a descriptor is
    // out of the question: closing that would end the locks, too.
    var system = statvfs()
    guard fstatvfs(directory.descriptor, &system) != 0 || UInt(size) / UInt(max(1, system.f_frsize)) < system.f_bavail
    else { throw SystemError(code: ENOSPC) }
    // Not by its name, where a link may lie by now that leads to a file of somebody else.
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
