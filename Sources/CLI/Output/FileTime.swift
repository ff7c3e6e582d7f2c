import Glibc

/// The time at which a file was last written.
struct FileTime: Hashable, Comparable, Sendable {
  let seconds: Int
  let nanoseconds: Int

  init(_ time: timespec) { (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec)) }

  /// The time of a file; nil if there is no file.
  init?(ofFile path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status.st_mtim)
  }

  static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

extension FileTime {
  /// Sets the time at which a file was last written.
  func give(toFile path: String) {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    // This number of nanoseconds means the current time.
    let now = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1)
    utimensat(AT_FDCWD, path, [now, time], 0)
  }
}
