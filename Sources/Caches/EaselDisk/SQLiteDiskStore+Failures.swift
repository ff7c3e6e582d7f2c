import CEaselDisk
import EaselCore
import Glibc

/// What is told to those whose wish failed.
extension SQLiteDiskStore {
  func failure(_ error: any Error, _ what: String, _ key: CacheKey?) -> ImageError {
    let object = key.map { "\($0.readable) in \(directory)" } ?? directory
    return .wrapping(
      error, as: .cacheFailed, "The cache of \(object) \(what). \(advice(on: error))",
      subject: key?.readable ?? directory)
  }

  private func advice(on error: any Error) -> String {
    let sqlite = error as? SQLiteFailure
    if sqlite != nil, Database.isFolder(in: directory) {
      return
        "A folder lies where the database should be, \(directory)/index.sqlite: move it away or use another directory."
    }
    switch (error as? SystemError)?.code {
    case _ where sqlite?.isFull == true, ENOSPC, EDQUOT:
      return "The disk is full: make room there or lower the size limit."
    case _ where sqlite?.isReadOnly == true, EROFS, EACCES, EPERM:
      return "The directory can only be read: allow writing there or use another one."
    default: return "See the cause."
    }
  }
}
