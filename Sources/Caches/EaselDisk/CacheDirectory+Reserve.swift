import EaselCore
import Glibc

/// Room that is kept for the moment when the disk is full.
///
/// Forgetting needs room, too: the database writes each change into its log first. Without this a full disk could not
/// be emptied by the cache that filled it.
extension CacheDirectory {
  private static let reserve = "reserve"
  /// The log of a change of a few rows, and the index of the log.
  private static let reserveSize: off_t = 384 << 10

  /// Takes the room, as far as there is any and it was not taken before.
  func keepReserve() {
    if let status = status(of: Self.reserve), status.st_size >= Self.reserveSize { return }
    let file = openat(descriptor, Self.reserve, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Self.reasonAgainst(status) == nil else { return }
    // Half of a reserve is of no use: what comes next would find it and take it for a whole one.
    if posix_fallocate(file, 0, Self.reserveSize) != 0 { removeFile(Self.reserve) }
  }

  /// Gives the room back; returns whether there was any.
  func releaseReserve() -> Bool {
    guard let status = status(of: Self.reserve) else { return false }
    removeFile(Self.reserve)
    return status.st_size > 0
  }
}
