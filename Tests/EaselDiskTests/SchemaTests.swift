import CEaselDisk
import EaselCore
import EaselDisk
import EaselTestSupport
import Testing

/// The upgrade of tables of older versions.
@Suite struct SchemaTests {
  private let directory: TemporaryDirectory
  private var cache: String { directory.path + "/cache" }
  private let next = Schema(
    steps: Schema.current.steps + ["ALTER TABLE store ADD COLUMN note TEXT; UPDATE store SET note = 'new'"])

  init() throws { directory = try TemporaryDirectory() }

  private func makeFilled() throws {
    let store = makeStore(directory)
    for number in 0..<20 { try store.store(entry(number, count: number * 100), for: key(number)) }
    store.close()
  }

  @Test func anOlderVersionIsMadeLikeNewAndKeepsItsEntries() throws {
    try makeFilled()
    try next.prepare(databaseIn: cache)
    try next.prepare(databaseIn: cache)
    #expect(try value("SELECT note FROM store") == "new")
    #expect(try value("SELECT count(*) FROM entries") == "20")
    #expect(try value("PRAGMA user_version") == "\(Schema.current.version + 1)")
    // The current version does not touch a database of a newer one.
    let error = #expect(throws: ImageError.self) { try makeStore(directory).store(entry(1), for: key(1)) }
    #expect(error?.message.contains("later version") == true)
    #expect(try value("SELECT count(*) FROM entries") == "20")
  }

  @Test func aStepThatFailsLeavesEverythingAsItWas() throws {
    try makeFilled()
    let wrong = Schema(steps: next.steps + ["DELETE FROM entries", "INSERT INTO nowhere VALUES (1)"])
    #expect(throws: (any Error).self) { try wrong.prepare(databaseIn: cache) }
    let store = makeStore(directory)
    #expect(try store.count() == 20)
    for number in 0..<20 { #expect(try store.bytes(for: key(number)) == body(number, count: number * 100)) }
  }

  private func value(_ sql: String) throws -> String? {
    var (handle, statement): (OpaquePointer?, OpaquePointer?)
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(handle)
    }
    try #require(sqlite3_open(cache + "/index.sqlite", &handle) == SQLITE_OK)
    try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else { return nil }
    return String(cString: text)
  }
}
