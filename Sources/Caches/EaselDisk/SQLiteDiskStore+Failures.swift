import CEaselDisk
import EaselCore
import Glibc

/// Turns failures into errors with advice for the user.
extension SQLiteDiskStore {
  func failure(_ error: any Error, _ what: String, _ key: CacheKey?) -> ImageError {
    let object = key.map { "\($0.readable) in \(directory)" } ?? directory
    return .wrapping(
      error, as: .cacheFailed, "The cache of \(object) \(what). \(advice(on: error))",
      subject: key?.readable ?? directory)
  }

  /// True when there was no room to write.
  func isFull(_ error: any Error) -> Bool {
    (error as? SQLiteFailure)?.isFull ?? (error as? SystemError)?.isFull ?? false
  }

  private func advice(on error: any Error) -> String {
    let sqlite = error as? SQLiteFailure
    let place = try? CacheDirectory(directory, makesMissing: false)
    let index = CacheDirectory.index
    if sqlite != nil, let status = place?.status(of: index), status.st_mode & S_IFMT == S_IFDIR {
      return
        "A folder lies where the database should be, \(directory)/\(index): move it away or use another directory."
    }
    if isFull(error) { return "The disk is full: make room there or lower the size limit." }
    switch (error as? SystemError)?.code {
    case _ where sqlite?.isBusy == true:
      return
        "\(place?.lockHolders ?? "Another process") holds a lock on it for too long: wait for it to end, or end it."
    case _ where sqlite?.isReadOnly == true, EROFS, EACCES:
      return "The directory can only be read: allow writing there or use another one."
    case ELOOP, ENOTDIR:
      return "A link or a file lies where a folder of the cache should be; look at \(directory)/bodies and remove it."
    case EPERM:
      return
        "A folder of the cache belongs to another user, or others may write it: look at \(directory)/bodies, remove it."
    default: return "See the cause."
    }
  }
}
