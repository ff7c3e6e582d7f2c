import Glibc

/// A file by its place in the file system, whatever names lead to it.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let number: UInt

  /// The folder of this path; nil if there is none.
  init?(folder path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
  }

  /// Nil if there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
  }
}
