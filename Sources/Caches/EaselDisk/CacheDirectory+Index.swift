import CEaselDisk
import EaselCore
import Glibc

/// Whose the file is that lies where the database of a cache should.
///
/// A damaged database is made anew, so it must be certain before that it is no other program's.
extension CacheDirectory {
  private enum Owner {
    case cache
    /// Too damaged to tell, but other files of a cache lie beside it.
    case perhapsCache
    case stranger(String)
  }

  /// The new name of a file that is too damaged to tell that it was the index of a cache.
  static let indexAside = index + ".damaged"

  /// Makes sure that the database is no other program's, in a directory that shows no other sign of a cache: opening it
  /// would leave some there.
  func refuseForeignIndex() throws {
    guard !showsCache else { return }
    try checkIndex()
    if case .stranger(let reason)? = try? indexOwner() { throw refusal(reason) }
  }

  /// Takes a damaged database away, with all that SQLite put beside it, unless it is another program's.
  func removeDamagedIndex() throws {
    switch try indexOwner() {
    case .cache: break
    case .stranger(let reason): throw refusal(reason)
    case .perhapsCache:
      if status(of: Self.indexAside) == nil { renameat(descriptor, Self.index, descriptor, Self.indexAside) }
    }
    removeIndex()
  }

  /// Takes the database away, whosever it is.
  func removeIndex() {
    for name in Self.indexFiles { removeFile(name) }
  }

  /// Makes sure that the database may be taken away.
  func checkIndexOwner() throws {
    if case .stranger(let reason) = try indexOwner() { throw refusal(reason) }
  }

  private var showsCache: Bool { ["lock", "bodies", "reserve"].contains { status(of: $0) != nil } }

  private func indexOwner() throws -> Owner {
    guard let status = status(of: Self.index), status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return .cache
    }
    let path = reachablePath(of: Self.index)
    // The header is looked at by a connection, since closing a descriptor of the file would end the locks of others.
    if Schema.isMark(Int(try Connection(unprepared: path).applicationIDInHeader)) { return .cache }
    do {
      return try Self.isCache(Connection(path: path, mode: .reading))
        ? .cache : .stranger("is a database of another program")
    } catch {
      guard error.isDamage else { throw error }
      return showsCache ? .perhapsCache : .stranger("is no database of a cache")
    }
  }

  private static func isCache(_ connection: Connection) throws(SQLiteFailure) -> Bool {
    let mark = Int(try connection.value("PRAGMA application_id") ?? "") ?? 0
    let names = try Schema.names(in: connection)
    return Schema.isMark(mark) || names.isSuperset(of: Schema.tables) || mark == 0 && names.isEmpty
  }

  private func refusal(_ reason: String) -> ImageError {
    foreign(Self.index, reason, advice: "Move that file elsewhere")
  }
}
