import CEaselDisk
import EaselCore
import EaselDisk
import EaselTestSupport
import Foundation
import Testing

/// Files of other programs in the place of the cache's database must not change.
@Suite struct ForeignIndexTests {
  private let directory: TemporaryDirectory
  private var cache: String { directory.path + "/cache" }
  private var index: String { cache + "/index.sqlite" }
  private var aside: String { index + ".damaged" }
  private let diary = Data(String(repeating: "My diary.\n", count: 500).utf8)

  init() throws {
    directory = try TemporaryDirectory()
    mkdir(cache, 0o700)
  }

  private func run(_ sql: String) throws {
    var handle: OpaquePointer?
    try #require(sqlite3_open(index, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    chmod(index, 0o600)
  }

  /// Runs all operations of a store twice, because the first pass may leave something behind.
  private func expectRefusal(line: Int = #line) throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: index))
    for _ in 0..<2 {
      let store = makeStore(directory)
      let calls: [() throws -> Void] = [
        { try store.store(entry(1, count: 5000), for: key(1)) }, { _ = try store.entry(for: key(1)) },
        { _ = try store.count() }, { try store.remove(key(1)) }, { try store.trim() }, { try store.removeAll() },
        { _ = try store.entries() }, { _ = try store.checkIntegrity() },
      ]
      for call in calls {
        let error = #expect(throws: ImageError.self) { try call() }
        #expect(error?.code == .cacheFailed)
        #expect(error?.message.contains("its index.sqlite is") == true, "line \(line): \(error?.message ?? "")")
      }
      store.close()
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: index)) == before, "line \(line)")
    #expect(directory.bodyFiles.isEmpty)
  }

  @Test(arguments: ["", "lock", "bodies"], [0, 1, 7])
  func aDatabaseWithOtherTablesIsRefused(beside: String, version: Int) throws {
    try run("CREATE TABLE mine (x); INSERT INTO mine VALUES ('precious'); PRAGMA user_version = \(version)")
    try put(beside)
    try expectRefusal()
  }

  @Test(arguments: ["", "lock"], ["", "CREATE TABLE mine (x);"])
  func aDatabaseWithTheMarkOfAnotherProgramIsRefused(beside: String, sql: String) throws {
    try run("\(sql) PRAGMA application_id = 1196444487; PRAGMA user_version = 1")
    try put(beside)
    try expectRefusal()
  }

  @Test func aDatabaseThatKeepsALogIsRefused() throws {
    try run("PRAGMA journal_mode = WAL; CREATE TABLE mine (x)")
    try expectRefusal()
  }

  @Test(arguments: ["My diary", "SQLite format 3\0"])
  func aFileThatIsNoDatabaseIsRefusedWhereNothingElseIsOfACache(start: String) throws {
    try (Data(start.utf8) + diary).write(to: URL(fileURLWithPath: index))
    chmod(index, 0o600)
    try expectRefusal()
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache) == ["index.sqlite"])
  }

  @Test(arguments: ["lock", "bodies", "reserve"])
  func aFileThatIsNoDatabaseMovesAsideInACache(beside: String) throws {
    try diary.write(to: URL(fileURLWithPath: index))
    chmod(index, 0o600)
    try put(beside)
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
    #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == diary)
    try store.removeAll()
    #expect(!FileManager.default.fileExists(atPath: aside))
  }

  @Test func whatMovedAsideFirstStays() throws {
    for text in [diary, Data("scrambled".utf8)] {
      try text.write(to: URL(fileURLWithPath: index))
      chmod(index, 0o600)
      try put("lock")
      try makeStore(directory).store(entry(1), for: key(1))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == diary)
  }

  @Test(arguments: ["PRAGMA application_id = 5", "PRAGMA application_id = 0; PRAGMA user_version = 3"])
  func aCacheWhoseMarkIsDamagedIsNoStranger(sql: String) throws {
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    store.close()
    try run(sql)
    try store.store(entry(2), for: key(2))
    #expect(try store.bytes(for: key(2)) == body(2, count: 100))
    #expect(!FileManager.default.fileExists(atPath: aside))
  }

  @Test func anEmptyDatabaseBecomesACache() throws {
    try run("CREATE TABLE mine (x); DROP TABLE mine")
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(1, count: 100))
  }

  private func put(_ sign: String) throws {
    switch sign {
    case "": break
    case "bodies": mkdir("\(cache)/\(sign)", 0o700)
    default:
      try Data().write(to: URL(fileURLWithPath: "\(cache)/\(sign)"))
      chmod("\(cache)/\(sign)", 0o600)
    }
  }
}
