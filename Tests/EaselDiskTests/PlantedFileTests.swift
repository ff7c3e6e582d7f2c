import CEaselDisk
import EaselCore
import EaselSupport
import EaselTestSupport
import Foundation
import Testing

@testable import EaselDisk

/// Links and foreign files in a cache directory: nothing is read, written or removed through them.
@Suite struct PlantedFileTests {
  private let directory: TemporaryDirectory
  private var cache: String { directory.path + "/cache" }
  /// A foreign folder with files; one of them has the name of a body.
  private var stranger: String { directory.path + "/stranger" }
  private let files = ["letter.txt", "00000000000000aa-00000000000000bb"]

  init() throws {
    directory = try TemporaryDirectory()
    mkdir(stranger, 0o700)
    for file in files { try Data(file.utf8).write(to: URL(fileURLWithPath: "\(stranger)/\(file)")) }
    // The files are old enough to count as leftovers.
    for file in files {
      var times = [timeval(), timeval()]
      utimes("\(stranger)/\(file)", &times)
    }
  }

  private func expectStrangerAsHeWas() throws {
    #expect(try FileManager.default.contentsOfDirectory(atPath: stranger).sorted() == files.sorted())
    for file in files {
      #expect(try Data(contentsOf: URL(fileURLWithPath: "\(stranger)/\(file)")) == Data(file.utf8))
    }
  }

  private func expectRefusal(_ store: SQLiteDiskStore, _ words: String..., line: Int = #line) {
    let calls: [() throws -> Void] = [
      { try store.store(entry(1, count: 5000), for: key(1)) }, { _ = try store.entry(for: key(1)) },
      { _ = try store.count() }, { try store.remove(key(1)) }, { try store.trim() }, { try store.removeAll() },
    ]
    for call in calls {
      let error = #expect(throws: ImageError.self) { try call() }
      #expect(error?.code == .cacheFailed)
      for word in words {
        #expect(error?.message.contains(word) == true, "line \(line): \(error?.message ?? "")")
      }
    }
  }

  // MARK: The directory itself

  @Test(arguments: ["", "/", "//", "/.", "/./"])
  func aDirectoryThatIsALinkIsRefused(end: String) throws {
    symlink(stranger, cache)
    let store = SQLiteDiskStore(directory: cache + end, clock: ManualClock(), maintenanceInterval: nil)
    expectRefusal(store, "is a link", stranger)
    try expectStrangerAsHeWas()
  }

  @Test func nothingIsMadeWhereALinkLeads() throws {
    symlink(directory.path + "/nowhere", cache)
    expectRefusal(makeStore(directory), "is a link")
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/nowhere"))
  }

  @Test(arguments: [0o777, 0o1777, 0o775, 0o757, 0o702])
  func aDirectoryThatOthersMayWriteIsRefused(mode: Int) throws {
    mkdir(cache, 0o700)
    chmod(cache, mode_t(mode))
    expectRefusal(makeStore(directory), "other users may write to it", "chmod go-w \(cache)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache).isEmpty)
    chmod(cache, 0o755)
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(1, count: 100))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func aDirectoryOfAnotherUserIsRefused() throws {
    mkdir(cache, 0o700)
    chown(cache, 12_345, 12_345)
    expectRefusal(makeStore(directory), "belongs to another user (12345)", "chown")
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache).isEmpty)
  }

  @Test func aDirectoryThatALinkTakesThePlaceOfIsLeft() throws {
    let clock = ManualClock()
    let store = makeStore(directory, clock: clock)
    try store.store(entry(1, count: 5000), for: key(1))
    rename(cache, directory.path + "/moved")
    symlink(stranger, cache)
    clock.advance(by: .seconds(2))
    expectRefusal(store, "is a link")
    unlink(cache)
    // A link to the cache's own directory is refused too.
    symlink(directory.path + "/moved", cache)
    clock.advance(by: .seconds(2))
    expectRefusal(store, "is a link")
    try expectStrangerAsHeWas()
    unlink(cache)
    rename(directory.path + "/moved", cache)
    clock.advance(by: .seconds(2))
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
  }

  @Test(arguments: ["link", "writable"])
  func anExtraDirectoryIsRefusedLikewiseAndNamedNowAndThen(trouble: String) throws {
    let (other, clock) = (try TemporaryDirectory(), ManualClock())
    try makeStore(other).store(entry(1), for: key(1))
    let extra = other.path + (trouble == "link" ? "/link" : "/cache")
    if trouble == "link" { symlink(other.path + "/cache", extra) } else { chmod(extra, 0o777) }
    let store = makeStore(directory, clock: clock, readOnlyDirectories: [extra])
    for _ in 0..<2 {
      let error = #expect(throws: ImageError.self) { try store.entry(for: key(1)) }
      #expect(error?.message.contains(extra) == true)
      #expect(try store.entry(for: key(1)) == nil)
      #expect(try !store.contains(key(1)))
      clock.advance(by: .seconds(6))
    }
    try store.store(entry(2), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(2, count: 100))
  }

  // MARK: Folders of bodies

  @Test(arguments: [false, true])
  func nothingGoesThroughALinkInPlaceOfAFolder(ofAll: Bool) throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 200), for: key(1))
    if ofAll {
      symlink(stranger, cache + "/bodies")
    } else {
      mkdir(cache + "/bodies", 0o700)
      for folder in 0..<256 { symlink(stranger, cache + "/bodies/" + hexadecimal([UInt8(folder)])) }
    }
    let error = #expect(throws: ImageError.self) { try store.store(entry(2, count: 5000), for: key(2)) }
    #expect(error?.message.contains("link") == true && error?.message.contains("bodies") == true)
    try store.trim()
    try expectStrangerAsHeWas()
    #expect(try store.bytes(for: key(1)) == body(1, count: 200))
    try store.remove(key(1))
    try store.removeAll()
    #expect(try store.count() == 0)
    try expectStrangerAsHeWas()
  }

  @Test func bodiesBehindALinkAreMissesAndStay() throws {
    let store = makeStore(directory)
    for number in 0..<10 { try store.store(entry(number, count: 5000), for: key(number)) }
    let moved = directory.path + "/moved"
    rename(cache + "/bodies", moved)
    symlink(moved, cache + "/bodies")
    let fresh = makeStore(directory)
    for number in 0..<10 {
      #expect(try store.entry(for: key(number)) == nil)
      #expect(try fresh.entry(for: key(number)) == nil)
    }
    try fresh.removeAll()
    #expect(try FileManager.default.subpathsOfDirectory(atPath: moved).filter { $0.contains("-") }.count == 10)
  }

  @Test func aFolderThatOthersMayWriteIsNotWrittenTo() throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    let folder = try #require(FileManager.default.contentsOfDirectory(atPath: cache + "/bodies").first)
    chmod("\(cache)/bodies/\(folder)", 0o777)
    let error = #expect(throws: ImageError.self) { try store.store(entry(2, count: 5000), for: key(1)) }
    #expect(error?.message.contains("others may write to it") == true)
  }

  @Test(arguments: ["pipe", "folder", "link", "hard link", "device", "writable"])
  func aBodyThatIsNoPlainFileOfOursIsAMiss(kind: String) throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    let file = try #require(directory.bodyFiles.first)
    let copy = directory.path + "/copy"
    try FileManager.default.copyItem(atPath: file, toPath: copy)
    unlink(file)
    switch kind {
    case "pipe": mkfifo(file, 0o600)
    case "folder": mkdir(file, 0o700)
    case "link": symlink(copy, file)
    case "hard link": link(copy, file)
    case "device": symlink("/dev/zero", file)
    default:
      try FileManager.default.copyItem(atPath: copy, toPath: file)
      chmod(file, 0o666)
    }
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.count() == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)).count == 5000)
    try store.store(entry(2, count: 5000), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(2, count: 5000))
    try store.removeAll()
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)).count == 5000)
  }

  // MARK: The database and the lock

  @Test(arguments: ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "lock"], ["link", "hard link", "pipe"])
  func aFileOfTheDatabaseThatIsNotOursIsRefused(name: String, kind: String) throws {
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    store.close()
    let (file, aside) = ("\(cache)/\(name)", directory.path + "/aside")
    rename(file, aside)
    let before = try Data(contentsOf: URL(fileURLWithPath: aside))
    switch kind {
    case "link": symlink(aside, file)
    case "hard link": link(aside, file)
    default: mkfifo(file, 0o600)
    }
    expectRefusal(store, name, "Remove that file")
    #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == before)
    unlink(file)
    try store.store(entry(2), for: key(2))
    #expect(try store.bytes(for: key(2)) == body(2, count: 100))
  }

  @Test(arguments: [
    "CREATE TRIGGER planted AFTER INSERT ON entries BEGIN DELETE FROM entries; END",
    "CREATE VIEW planted AS SELECT * FROM entries", "CREATE TABLE planted (id INTEGER)",
    "DROP TRIGGER entries_added", "CREATE INDEX planted ON entries (abs(id))",
  ])
  func tablesThatAreNotThoseOfACacheAreMadeAnew(sql: String) throws {
    let store = makeStore(directory)
    for number in 0..<10 { try store.store(entry(number), for: key(number)) }
    store.close()
    var handle: OpaquePointer?
    #expect(sqlite3_open(cache + "/index.sqlite", &handle) == SQLITE_OK)
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(handle)
    for number in 10..<20 { try store.store(entry(number), for: key(number)) }
    for number in 10..<20 { #expect(try store.bytes(for: key(number)) == body(number, count: 100)) }
    #expect(try store.count() == 10)
    #expect(try store.checkIntegrity())
  }

  @Test func aViewInPlaceOfATableIsDamage() throws {
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    store.close()
    var handle: OpaquePointer?
    #expect(sqlite3_open(cache + "/index.sqlite", &handle) == SQLITE_OK)
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS count, i AS size FROM n"
    #expect(sqlite3_exec(handle, "DROP TABLE totals; CREATE VIEW totals AS \(endless)", nil, nil, nil) == SQLITE_OK)
    sqlite3_close(handle)
    #expect(try store.count() == 0)
    try store.store(entry(2), for: key(2))
    #expect(try store.count() == 1)
  }

  @Test func aPathInARowLeadsNowhere() throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    var handle: OpaquePointer?
    #expect(sqlite3_open(cache + "/index.sqlite", &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    let sql = "UPDATE entries SET file = '../../../stranger/letter.txt', bytes = 10"
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    #expect(try store.entry(for: key(1)) == nil)
    try store.trim()
    try store.removeAll()
    try expectStrangerAsHeWas()
  }

  // MARK: Opening below a directory

  @Test(arguments: [(mode_t(0o755), true), (0o1777, true), (0o775, false), (0o777, false)])
  func whereOthersMayMoveTheDirectoryItsFilesAreNotReachedByItsName(mode: mode_t, isByName: Bool) throws {
    mkdir(cache, 0o700)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: cache + "/file"))
    chmod(directory.path, mode)
    defer { chmod(directory.path, 0o700) }
    let opened = try CacheDirectory(cache, makesMissing: false)
    #expect(opened.reachablePath(of: "file").hasPrefix(cache) == isByName)
    // The opened directory is used, even if another one has its name by now.
    rename(cache, directory.path + "/moved")
    mkdir(cache, 0o700)
    try Data("another's".utf8).write(to: URL(fileURLWithPath: cache + "/file"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: opened.reachablePath(of: "file"))) == Data("mine".utf8))
  }

  @Test func openingFollowsNoLinkWhetherTheSystemHelpsOrNot() throws {
    mkdir(cache, 0o700)
    mkdir(cache + "/folder", 0o700)
    symlink("folder", cache + "/link")
    try Data("here".utf8).write(to: URL(fileURLWithPath: cache + "/folder/file"))
    symlink("file", cache + "/folder/link")
    let place = easel_disk_open_folder(cache)
    #expect(place >= 0)
    defer { close(place) }
    for open in [easel_disk_open_below, easel_disk_open_step_by_step] {
      let file = open(place, "folder/file", O_RDONLY, 0)
      #expect(file >= 0)
      close(file)
      for path in ["link/file", "folder/link", "link", "folder/missing", "missing/file"] {
        #expect(open(place, path, O_RDONLY, 0) == -1, "\(path)")
      }
    }
  }
}
