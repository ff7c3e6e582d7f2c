import EaselCore
import Glibc

/// Finds out which program owns the file at the path of the cache's database.
///
/// The cache replaces a damaged database, so it must first be sure that the file does not belong to another program.
extension CacheDirectory {
  private enum Owner {
    case cache
    /// The database is too damaged to identify, but other files of a cache are beside it.
    case unknown
    case otherProgram(String)
  }

  /// The new name of a database that is so damaged that nobody can tell whether it belonged to a cache.
  static let damagedIndex = index + ".damaged"

  /// Throws when the database belongs to another program.
  ///
  /// A directory with other files of a cache is not checked. Call this before the database is opened, because opening
  /// it creates such files.
  func refuseForeignIndex() throws {
    guard !showsCache else { return }
    try checkIndex()
    if case .otherProgram(let reason)? = try? indexOwner() { throw refusal(reason) }
  }

  /// Removes a damaged database, with SQLite's files beside it, unless it belongs to another program.
  func removeDamagedIndex() throws {
    switch try indexOwner() {
    case .cache: break
    case .otherProgram(let reason): throw refusal(reason)
    case .unknown:
      if status(of: Self.damagedIndex) == nil { renameat(descriptor, Self.index, descriptor, Self.damagedIndex) }
    }
    removeIndex()
  }

  /// Removes the database without checking its owner.
  func removeIndex() {
    for name in Self.indexFiles { removeFile(name) }
  }

  /// Throws when the database belongs to another program and must not be removed.
  func checkIndexOwner() throws {
    if case .otherProgram(let reason) = try indexOwner() { throw refusal(reason) }
  }

  private var showsCache: Bool { ["lock", "bodies", "reserve"].contains { status(of: $0) != nil } }

  private func indexOwner() throws -> Owner {
    guard let status = status(of: Self.index), status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return .cache
    }
    let path = reachablePath(of: Self.index)
    // Read through a connection: if this process closed another descriptor, it would lose the locks of its other
    // connections.
    if Schema.isMark(Int(try Connection(unprepared: path).applicationIDInHeader)) { return .cache }
    do {
      return try Self.isCache(Connection(path: path, mode: .reading))
        ? .cache : .otherProgram("is a database of another program")
    } catch {
      guard error.isDamage else { throw error }
      return showsCache ? .unknown : .otherProgram("is not the database of a cache")
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
