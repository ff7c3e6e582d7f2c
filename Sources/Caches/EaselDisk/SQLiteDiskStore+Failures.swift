import EaselCore
import Glibc

/// Turns failures into errors with advice for the user.
extension SQLiteDiskStore {
  func failure(_ error: any Error, _ what: String, _ key: CacheKey?) -> ImageError {
    let object = key.map { "The entry \($0.readable) of the cache in \(directory)" } ?? "The cache in \(directory)"
    return .wrapping(
      error, as: .cacheFailed, "\(object) \(what). \(advice(on: error))",
      subject: key?.readable ?? directory)
  }

  /// True when there was no room for a write.
  func isFull(_ error: any Error) -> Bool { hasNoRoom(error) }

  private func advice(on error: any Error) -> String {
    let sqlite = error as? SQLiteFailure
    let place = try? CacheDirectory(directory, makesMissing: false)
    let index = CacheDirectory.index
    if sqlite != nil, let status = place?.status(of: index), status.st_mode & S_IFMT == S_IFDIR {
      return
        "A folder is in the place of the database \(directory)/\(index): move it away or use another directory."
    }
    if isFull(error) { return "The disk is full: free some space or lower the size limit." }
    switch (error as? SystemError)?.code {
    case _ where sqlite?.isBusy == true:
      return
        "\(place?.lockHolders ?? "Another process") has held a lock on it for too long: wait for it to end, or end it."
    case _ where sqlite?.isReadOnly == true, EROFS, EACCES:
      return "The directory is read-only: allow writing there or use another one."
    case ELOOP, ENOTDIR:
      return "A link or a file is in the place of a folder of the cache: look at \(directory)/bodies and remove it."
    case EPERM:
      return
        "A folder of the cache belongs to another user, or others may write to it: remove \(directory)/bodies."
    default: return "See the cause."
    }
  }
}

extension ImageError {
  /// True if a cache failed because there is no room: the disk or its quota is full, or a file has reached its size
  /// limit.
  package var isAboutFullDisk: Bool { code == .cacheFailed && causes.contains(where: hasNoRoom) }
}

private func hasNoRoom(_ error: any Error) -> Bool {
  (error as? SQLiteFailure)?.isFull ?? (error as? SystemError)?.isFull ?? false
}
