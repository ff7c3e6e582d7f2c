import Glibc

/// Distinguishes the versions of a file by inode, time of the last change and size.
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

  /// The text in the scope of a cache key; equal texts mean equal bytes.
  var scope: String { "\(Self.mark)\(inode) \(size) \(seconds) \(nanoseconds)" }

  /// The text in the scope if there is no readable file.
  static var scopeWithoutFile: String { "\(mark)-" }

  /// True when a text comes from ``scope`` or ``scopeWithoutFile``.
  static func isScope(_ text: String) -> Bool { text.hasPrefix(mark) }
}
