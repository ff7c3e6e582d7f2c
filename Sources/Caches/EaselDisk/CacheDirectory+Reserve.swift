import EaselCore
import Glibc

/// Keeps some disk space in reserve for the time when the disk is full.
///
/// Removing entries also needs space, because the database first writes each change to its log. Without the reserve, a
/// cache that has filled the disk could not be emptied.
extension CacheDirectory {
  private static let reserve = "reserve"
  /// Enough for the log of a change of a few rows, and for the index of that log.
  private static let reserveSize: off_t = 384 << 10

  /// Allocates the reserve if it does not exist and the disk has room.
  func keepReserve() {
    if let status = status(of: Self.reserve), status.st_size >= Self.reserveSize { return }
    let file = openat(descriptor, Self.reserve, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Self.reasonAgainst(status) == nil else { return }
    var code: CInt
    // POSIX lets a signal interrupt the call.
    repeat { code = posix_fallocate(file, 0, Self.reserveSize) } while code == EINTR
    // A partial reserve is useless, and later calls would mistake it for a complete one.
    if code != 0 { removeFile(Self.reserve) }
  }

  /// Frees the reserve; returns true when there was one.
  func releaseReserve() -> Bool {
    guard let status = status(of: Self.reserve) else { return false }
    removeFile(Self.reserve)
    return status.st_size > 0
  }
}
