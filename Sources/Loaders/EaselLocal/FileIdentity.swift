import Glibc

/// Tells one version of a file from another: inode, time of the last change and size.
struct FileIdentity: Equatable, Sendable {
  private static let mark = "file "

  private let inode: UInt64
  private let seconds: Int
  private let nanoseconds: Int
  /// The number of bytes.
  let size: Int

  init(_ status: stat) {
    inode = UInt64(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
    size = Int(status.st_size)
  }

  /// The scope of a cache key: equal scopes mean equal bytes.
  var scope: String { "\(Self.mark)\(inode) \(size) \(seconds) \(nanoseconds)" }

  /// The scope when there is no readable file.
  static var scopeWithoutFile: String { "\(mark)-" }

  /// True when a text is the scope of a file.
  static func isScope(_ text: String) -> Bool { text.hasPrefix(mark) }
}
