import CEaselDisk
import EaselCore
import EaselRecords
import EaselSupport
import FoundationEssentials
import Glibc
import Synchronization

/// Keeps bytes and their records in a directory that several processes may share.
///
/// The index, the records and small bodies are in one SQLite database; large bodies are in files beside it. A missing,
/// truncated or damaged entry is a miss. A stored entry is found complete or not at all, even if the process or the
/// machine stopped during the store. The directory is opened on first use.
///
/// No file with pictures is mapped into memory, because a process ends if it reads a mapped file that was truncated.
/// SQLite maps only `index.sqlite-shm`, because it cannot share a log between processes in another way. The store
/// checks the size of this file before each use, and rebuilds the file when it was truncated. Only a truncation in the
/// microseconds of a use still ends the process.
///
/// Everyone who can write into a cache decides which pictures are shown. The directory must therefore belong to the
/// user of the process or to root, nobody else may have the right to write it, and neither it nor anything in it may be
/// a link. Otherwise every call throws an error that says what to do.
///
/// Reads never wait for writes. A change waits up to two seconds for other processes, and then throws an error. A full
/// disk can be emptied with ``remove(_:)``, ``removeAll()`` and ``trim()``: a small file named `reserve` keeps the
/// space that they need.
///
/// ```swift
/// let disk = SQLiteDiskStore(directory: "/var/cache/pictures")
/// disk.limits.sizeLimit = 512 << 20
/// configuration.cache = TieredCache(memory: LRUMemoryStore(), disk: disk)
/// ```
public final class SQLiteDiskStore: DiskStore {
  /// The directory of the store.
  public let directory: String

  let clock: any ImageClock
  let uses = LastUses()
  let isTrimming = Atomic(false)
  private let liveLimits: Locked<Limits>
  let largestInline: Int
  let maintenanceInterval: Duration?
  let access: DatabaseAccess
  let recent = RecentRows()
  private let others: [ReadOnlyDirectory]
  let maintenance = Locked(Task<Void, Never>?.none)
  let isMaintained = Atomic(false)

  /// Creates a store that keeps entries in a directory, within these limits.
  ///
  /// Entries in `readOnlyDirectories` are found too, after those of the store and in the given order. The store never
  /// writes into these directories.
  public convenience init(
    directory: String = SQLiteDiskStore.defaultDirectory, limits: Limits = Limits(),
    readOnlyDirectories: [String] = [], clock: any ImageClock = SystemClock()
  ) {
    self.init(
      directory: directory, limits: limits, readOnlyDirectories: readOnlyDirectories, clock: clock,
      largestInline: Self.usualLargestInline, maintenanceInterval: .seconds(60))
  }

  package init(
    directory: String, limits: Limits = Limits(), readOnlyDirectories: [String] = [], clock: any ImageClock,
    largestInline: Int = SQLiteDiskStore.usualLargestInline, maintenanceInterval: Duration?
  ) {
    self.directory = directory
    liveLimits = Locked(limits)
    self.clock = clock
    self.largestInline = largestInline
    self.maintenanceInterval = maintenanceInterval
    access = DatabaseAccess(directory: directory, clock: clock)
    others = readOnlyDirectories.map { ReadOnlyDirectory($0, clock: clock) }
  }

  /// A body of this size fits into one page of the database; larger bodies are read faster from a file.
  package static let usualLargestInline = 4 << 10

  deinit {
    endMaintenance()
    try? writeUses()
  }

  /// `easel` in the user's directory for caches: `$XDG_CACHE_HOME`, or else `~/.cache`.
  public static var defaultDirectory: String { defaultDirectory(in: ProcessInfo.processInfo.environment) }

  /// Relative paths are ignored, as the XDG base directory specification demands.
  package static func defaultDirectory(in environment: [String: String]) -> String {
    if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") { return "\(base)/easel" }
    if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.cache/easel" }
    return ownDirectory("/tmp/easel-\(getuid())")
  }

  /// The given directory, or one with an unpredictable name if other users may have put pictures into the given one.
  package static func ownDirectory(_ path: String) -> String {
    var status = stat()
    // A missing directory is created when the store is opened; its owner is checked then.
    guard lstat(path, &status) == 0 else { return path }
    let isOwn =
      status.st_mode & S_IFMT == S_IFDIR && status.st_uid == getuid() && status.st_mode & 0o022 == 0
    return isOwn ? path : "\(path)-\(UUID().uuidString)"
  }

  /// The limits of the store.
  ///
  /// If entries exceed a new limit, the next store or trim removes them.
  public var limits: Limits {
    get { liveLimits.withLock { $0 } }
    set { liveLimits.withLock { $0 = newValue } }
  }

  /// The bytes and the record under a key; the lookup counts as a use.
  public func entry(for key: CacheKey) throws -> CacheEntry? {
    if let entry = try ownEntry(for: key) { return entry }
    for other in others {
      if let entry = other.entry(for: key, limits: limits) { return entry }
    }
    // Directories that cannot be used are reported; otherwise nobody would notice them.
    for other in others {
      if let refusal = other.takeRefusal() { throw refusal }
    }
    return nil
  }

  /// Stores the bytes and the record of an entry, and replaces an older entry.
  ///
  /// An entry larger than the size limit only removes the older entry.
  public func store(_ entry: CacheEntry, for key: CacheKey) throws {
    guard key.isStorable, let bytes = entry.bytes else { return }
    defer { recent.forget(key) }
    do {
      try bytes.withUnsafeBytes { try write($0, entry.record, key) }
    } catch {
      throw failure(error, "could not be stored", key)
    }
  }

  /// Removes the entries of this original that were made from bytes of another generation.
  ///
  /// The remaining entries, including the original, get `response` in their records unless it is nil.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) throws {
    defer { recent.forgetAll() }
    try change("could not be renewed", key) { database in
      let diskKey = try DiskKey(key, seed: database.seed())
      let encoded = response.map { RecordCoding.encode($0) }
      return try database.write { connection in
        try self.writeRenewal(encoded, diskKey, Int64(bitPattern: generation), connection)
      }
    }
  }

  /// Removes an entry.
  ///
  /// On a full disk, all entries are removed if nothing else helps.
  public func remove(_ key: CacheKey) throws {
    defer { recent.forget(key) }
    try shrink("could not be removed", key, mayRemoveEverything: true) { database, _ in
      let diskKey = try DiskKey(key, seed: database.seed())
      let id = diskKey.id
      self.uses.forget(id)
      guard try database.dates(diskKey, id) != nil else { return [] }
      return try database.write { try Database.remove(id, $0).map { [$0] } ?? [] }
    }
  }

  /// True when an entry is kept under the key.
  ///
  /// The question does not count as a use, and the bytes are not read.
  public func contains(_ key: CacheKey) throws -> Bool {
    let dates = try read(key) { database in
      let diskKey = try DiskKey(key, seed: database.seed())
      let id = diskKey.id
      return try database.dates(diskKey, id).map { self.withPendingUse($0, id) }
    }
    if let dates, !limits.isExpired(dates, at: now) { return true }
    return others.contains { $0.contains(key, limits: limits) }
  }

  /// Removes all entries.
  public func removeAll() throws {
    defer { recent.forgetAll() }
    _ = uses.takeAll()
    try shrink("could not be emptied", nil, mayRemoveEverything: true) { database, isDiskFull in
      // Removing the rows would first write all of them to the log, which needs space.
      if isDiskFull { throw SystemError(code: ENOSPC) }
      try database.write { connection in
        try connection.run(.removeAll)
        try connection.run(.removeAllBodies)
        // The triggers only subtract from the total, which may have been damaged before.
        try Database.setTotals(count: 0, size: 0, connection)
      }
      try self.removeUnusedFiles(database)
      database.directory.removeFile(CacheDirectory.damagedIndex)
      try database.maintain { try $0.run(.vacuum) }
      return []
    }
  }

  /// Removes expired entries, leftovers, and entries over the size limit.
  ///
  /// If the size limit is exceeded, the least recently used entries are removed until the rest takes nine tenths of it.
  public func trim() throws {
    try shrink("could not be tidied", nil, mayRemoveEverything: false) { database, isDiskFull in
      try self.trim(database, isDiskFull: isDiskFull)
      return []
    }
  }

  /// The number of entries.
  public func count() throws -> Int {
    try read(nil) { try $0.totals() }.count
  }

  /// The bytes that the entries take, including keys and records.
  public func totalSize() throws -> Int {
    try read(nil) { try $0.totals() }.size
  }

  /// The number of entries, and the bytes that they take.
  package func totals() throws -> (count: Int, size: Int) {
    let totals = try read(nil) { try $0.totals() }
    return (totals.count, totals.size)
  }

  /// Checks the whole database, and replaces it with a new one if it is damaged; returns true if it was intact.
  public func checkIntegrity() throws -> Bool {
    var isSound = true
    try change("could not be checked", nil) { database in
      let answer = try database.read { try $0.value("PRAGMA quick_check(1)") }
      if answer == "ok" { return [] }
      guard isSound else { throw SQLiteFailure(SQLITE_IOERR, answer ?? "no answer") }
      isSound = false
      throw SQLiteFailure(SQLITE_CORRUPT, answer ?? "no answer")
    }
    return isSound
  }

  /// Writes the times of recent uses, and closes the files until they are needed again.
  public func close() {
    endMaintenance()
    try? writeUses()
    access.close()
  }
}

extension SQLiteDiskStore {
  var now: Double { clock.date.timeIntervalSince1970 }

  /// Writes the times of recent uses to the database.
  func writeUses() throws {
    guard uses.count > 0 else { return }
    // Only if the database is open: a removed directory must not be created again for this.
    try access.performIfOpen { database in try database.write { try writeUses($0) } }
  }

  func writeUses(_ connection: Connection) throws {
    let times = uses.takeAll()
    do {
      for (id, time) in times {
        try connection.run(.use) { statement in
          statement.bind(id, at: 1)
          statement.bind(time, at: 2)
          _ = try statement.step()
        }
      }
    } catch {
      uses.putBack(times)
      throw error
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, _ record: CacheRecord, _ key: CacheKey) throws {
    let encodedRecord = RecordCoding.encode(record, isBesideItsKey: true)
    let response = record.response.map { RecordCoding.encode($0) }
    try access.perform(forWriting: true) { database in
      startMaintenance()
      let diskKey = try DiskKey(key, seed: database.seed())
      let id = diskKey.id
      let size = bytes.count + diskKey.bytes.count + encodedRecord.count + (response?.count ?? 0)
      if let limit = limits.sizeLimit, size > limit {
        if let file = try database.write({ try Database.remove(id, $0) }) { database.files.remove(file) }
        return
      }
      let row = RowInsertion(
        key: diskKey, id: id, generation: Int64(bitPattern: record.generation), record: encodedRecord,
        response: response, size: size, now: now, oldestCreation: limits.oldestCreation(at: now) ?? -.infinity)
      let outcome = try row.write(bytes, into: database, asFile: bytes.count > largestInline) { connection in
        if self.uses.count >= 256 { try self.writeUses(connection) }
      }
      uses.forget(id)
      if let garbage = outcome.garbage { database.files.remove(garbage) }
      try trimAfterStore(database, from: outcome.totalSize)
    }
  }

  private func writeRenewal(
    _ response: [UInt8]?, _ key: DiskKey, _ generation: Int64, _ connection: Connection
  ) throws -> [BodyFiles.Name] {
    let others = try key.withOriginal { original in
      try connection.run(.othersOfOrigin) { statement in
        statement.bind(key.origin, at: 1)
        statement.bind(generation, at: 2)
        statement.bind(original, at: 3)
        var ids: [Int64] = []
        while try statement.step() { ids.append(statement.integer(0)) }
        return ids
      }
    }
    let files = try others.compactMap { try Database.remove($0, connection) }
    guard let response else { return files }
    try key.withOriginal { original in
      try response.withUnsafeBytes { response in
        try connection.run(.renew) { statement in
          statement.bind(key.origin, at: 1)
          statement.bind(generation, at: 2)
          statement.bind(original, at: 3)
          statement.bind(response, at: 4)
          statement.bind(now, at: 5)
          _ = try statement.step()
        }
      }
    }
    return files
  }
}
