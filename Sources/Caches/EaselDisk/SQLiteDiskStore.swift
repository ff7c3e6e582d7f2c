import CEaselDisk
import EaselCore
import FoundationEssentials
import Glibc
import Synchronization

/// Keeps bytes with their records in a directory that several processes may share.
///
/// An index, the records and small bodies lie in one SQLite database, large bodies in files beside it. What is missing,
/// cut short or damaged is a miss; what was stored under a key is found whole or not at all, whenever the process or
/// the machine ended. The directory is opened when it is first needed.
///
/// Nothing that holds pictures is mapped into memory, where a file that somebody cuts short would end the process. Only
/// `index.sqlite-shm` is, by SQLite, which has no other way to share a log among processes: its size is looked at
/// before each use, and it is made anew when it was cut. A cut within the microseconds of a use itself remains fatal.
///
/// Whoever may write into a cache chooses what is shown. So the directory must belong to the user of the process or to
/// root, nobody else may have the right to write it, and neither it nor anything in it may be a link: where that does
/// not hold, every call throws an error that says what to do.
///
/// Reading never waits for writing. A change waits two seconds for other processes, and then is an error. A full disk
/// can be emptied with ``remove(_:)``, ``removeAll()`` and ``trim()``: a small file named `reserve` keeps the room for
/// that.
public final class SQLiteDiskStore: DiskStore {
  /// Where it keeps things.
  public let directory: String

  let clock: any ImageClock
  let uses = LastUses()
  let isShrinking = Atomic(false)
  private let liveLimits: Locked<Limits>
  let largestInline: Int
  let maintenanceInterval: Duration?
  let access: DatabaseAccess
  let recent = RecentRows()
  private let others: [ReadOnlyDirectory]
  let maintenance = Locked(Task<Void, Never>?.none)
  let isMaintained = Atomic(false)

  /// Creates a store.
  ///
  /// What `readOnlyDirectories` hold is found, too, in this order and after the store's own; nothing is ever written
  /// there.
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

  /// What fits into one page of the database; more is read faster from a file.
  package static let usualLargestInline = 4 << 10

  deinit {
    endMaintenance()
    try? writeUses()
  }

  /// `easel` in the user's directory for caches: `$XDG_CACHE_HOME`, or else `~/.cache`.
  public static var defaultDirectory: String { defaultDirectory(in: ProcessInfo.processInfo.environment) }

  /// A path that does not begin at the root means nothing, says the specification of these directories.
  package static func defaultDirectory(in environment: [String: String]) -> String {
    if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") { return "\(base)/easel" }
    if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.cache/easel" }
    return ownDirectory("/tmp/easel-\(getuid())")
  }

  /// That directory, or one that nobody could expect where somebody else may have put pictures into it.
  package static func ownDirectory(_ path: String) -> String {
    mkdir(path, 0o700)
    var status = stat()
    let isOwn =
      lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == getuid()
      && status.st_mode & 0o022 == 0
    return isOwn ? path : "\(path)-\(UUID().uuidString)"
  }

  /// How much it keeps, and for how long; what is over a new limit goes with the next store or trim.
  public var limits: Limits {
    get { liveLimits.withLock { $0 } }
    set { liveLimits.withLock { $0 = newValue } }
  }

  /// The bytes and the record under a key; asking counts as use.
  public func entry(for key: CacheKey) throws -> CacheEntry? {
    if let entry = try ownEntry(for: key) { return entry }
    for other in others {
      if let entry = other.entry(for: key, limits: limits) { return entry }
    }
    // One that is never used would otherwise be noticed by nobody.
    for other in others {
      if let refusal = other.takeRefusal() { throw refusal }
    }
    return nil
  }

  /// Keeps the bytes and the record of an entry, in place of an older one.
  ///
  /// An entry that is larger than all entries together may be only takes the older one's place.
  public func store(_ entry: CacheEntry, for key: CacheKey) throws {
    guard key.isStorable, let bytes = entry.bytes else { return }
    defer { recent.forget(key) }
    do {
      try bytes.withUnsafeBytes { try store($0, entry.record, key) }
    } catch {
      throw failure(error, "could not be stored", key)
    }
  }

  /// Forgets what was made of other bytes of this original than `generation`.
  ///
  /// The rest, itself included, gets a new record of what its server said, where there is one.
  public func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64) throws {
    defer { recent.forgetAll() }
    try changing("could not be renewed", key) { database in
      let diskKey = try DiskKey(key, seed: database.seed())
      let encoded = response.map { RecordCoding.encode($0) }
      return try database.write { connection in
        try self.renew(encoded, diskKey, Int64(bitPattern: generation), connection)
      }
    }
  }

  /// Forgets an entry.
  ///
  /// On a full disk where nothing else helps, everything is forgotten.
  public func remove(_ key: CacheKey) throws {
    defer { recent.forget(key) }
    try emptying("could not be removed", key, startsAnew: true) { database, _ in
      let diskKey = try DiskKey(key, seed: database.seed())
      let id = diskKey.id
      self.uses.forget(id)
      guard try database.look(diskKey, id) != nil else { return [] }
      return try database.write { try Database.remove(id, $0).map { [$0] } ?? [] }
    }
  }

  /// Whether something is kept under a key; asking is no use, and the bytes are not looked at.
  public func contains(_ key: CacheKey) throws -> Bool {
    let dates = try reading(key) { database in
      let diskKey = try DiskKey(key, seed: database.seed())
      let id = diskKey.id
      return try database.look(diskKey, id).map { self.withPendingUse($0, id) }
    }
    if let dates, !limits.isExpired(dates, at: now) { return true }
    return others.contains { $0.contains(key, limits: limits) }
  }

  /// Forgets everything.
  public func removeAll() throws {
    defer { recent.forgetAll() }
    _ = uses.takeAll()
    try emptying("could not be emptied", nil, startsAnew: true) { database, isTight in
      // All the rows would have to be written once more before they are gone.
      if isTight { throw SystemError(code: ENOSPC) }
      try database.write { connection in
        try connection.run(.removeAll)
        try connection.run(.removeAllBodies)
        // The triggers count down from a number that may have been damaged.
        try Database.setTotals(count: 0, size: 0, connection)
      }
      try self.sweep(database)
      database.directory.removeFile(CacheDirectory.indexAside)
      try database.maintain { try $0.run(.vacuum) }
      return []
    }
  }

  /// Lets go of what is expired, of what is over the size limit down to nine tenths of it, and of leftovers.
  public func trim() throws {
    try emptying("could not be tidied", nil, startsAnew: false) { database, isTight in
      try self.tidy(database, isTight: isTight)
      return []
    }
  }

  /// The number of entries.
  public func count() throws -> Int {
    try reading(nil) { try $0.totals() }.count
  }

  /// The bytes that the entries take, with their keys and records.
  public func totalSize() throws -> Int {
    try reading(nil) { try $0.totals() }.size
  }

  /// Checks the whole database, and starts afresh when it is damaged; returns whether it was sound.
  public func checkIntegrity() throws -> Bool {
    var isSound = true
    try changing("could not be checked", nil) { database in
      let answer = try database.read { try $0.value("PRAGMA quick_check(1)") }
      if answer == "ok" { return [] }
      guard isSound else { throw SQLiteFailure(SQLITE_IOERR, answer ?? "no answer") }
      isSound = false
      throw SQLiteFailure(SQLITE_CORRUPT, answer ?? "no answer")
    }
    return isSound
  }

  /// Writes down what waits to be written, and closes the files until they are needed again.
  public func close() {
    endMaintenance()
    try? writeUses()
    access.close()
  }
}

extension SQLiteDiskStore {
  var now: Double { clock.date.timeIntervalSince1970 }

  /// Writes down when entries were last asked for.
  func writeUses() throws {
    guard uses.count > 0 else { return }
    // A directory that was removed meanwhile is not to come back for them.
    try access.performWhereOpen { database in try database.write { try writeUses($0) } }
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

  private func store(_ bytes: UnsafeRawBufferPointer, _ record: CacheRecord, _ key: CacheKey) throws {
    let encodedRecord = RecordCoding.encode(record)
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
      let row = NewRow(
        key: diskKey, id: id, generation: Int64(bitPattern: record.generation), record: encodedRecord,
        response: response, size: size, now: now, oldestCreation: limits.oldestCreation(at: now) ?? -.infinity)
      let outcome = try row.write(bytes, into: database, asFile: bytes.count > largestInline) { connection in
        if self.uses.count >= 256 { try self.writeUses(connection) }
      }
      uses.forget(id)
      if let garbage = outcome.garbage { database.files.remove(garbage) }
      try shrinkABit(database, from: outcome.totalSize)
    }
  }

  private func renew(
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
