import Glibc

/// A file, identified by its place in the file system whatever its names are.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let number: UInt

  /// Identifies the folder at this path; nil if there is no folder.
  init?(folder path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
  }

  /// Identifies the file at this path; nil if there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
  }
}
