import CEaselDisk
import EaselCore
import EaselDisk
import EaselTestSupport
import Foundation
import Testing

@Suite struct HardTimesTests {
  private let directory: TemporaryDirectory
  private var cache: String { directory.path + "/cache" }

  init() throws { directory = try TemporaryDirectory() }

  @Test func aDirectoryThatWasDeletedIsMadeAgain() throws {
    let clock = ManualClock()
    let store = makeStore(directory, clock: clock)
    for count in [100, 5000] {
      try store.store(entry(1, count: count), for: key(1))
      try FileManager.default.removeItem(atPath: cache)
      clock.advance(by: .seconds(2))
      #expect(try store.entry(for: key(1)) == nil)
      try FileManager.default.removeItem(atPath: cache)
      try store.store(entry(2, count: count), for: key(2))
      #expect(try store.bytes(for: key(2)) == body(2, count: count))
      #expect(try makeStore(directory).count() == 1)
    }
  }

  @Test func bodiesThatWereDeletedAreMisses() throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    try FileManager.default.removeItem(atPath: cache + "/bodies")
    #expect(try store.entry(for: key(1)) == nil)
    try store.store(entry(1, count: 5000), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
  }

  @Test func aDirectoryThatCannotBeIsAnErrorAndNoCrash() throws {
    try Data("a file".utf8).write(to: URL(fileURLWithPath: cache))
    let store = makeStore(directory)
    let storing = #expect(throws: ImageError.self) { try store.store(entry(1), for: key(1)) }
    let reading = #expect(throws: ImageError.self) { try store.entry(for: key(1)) }
    #expect(storing?.code == .cacheFailed && reading?.code == .cacheFailed)
    #expect(storing?.message.contains(cache) == true)
    try FileManager.default.removeItem(atPath: cache)
    try store.store(entry(1), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(1, count: 100))
  }

  @Test func aFolderInPlaceOfTheDatabaseIsNamed() throws {
    let path = cache + "/index.sqlite"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let store = makeStore(directory)
    let errors = [
      #expect(throws: ImageError.self) { try store.store(entry(1), for: key(1)) },
      #expect(throws: ImageError.self) { try store.entry(for: key(1)) },
      #expect(throws: ImageError.self) { try store.count() },
    ]
    for error in errors {
      #expect(error?.code == .cacheFailed)
      #expect(error?.message.contains("A folder is in the place of the database \(path): move it away") == true)
    }
    try FileManager.default.removeItem(atPath: path)
    try store.store(entry(1), for: key(1))
    #expect(try store.count() == 1)
  }

  @Test func readingDoesNotWaitForAnotherWriter() throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    var other: OpaquePointer?
    #expect(sqlite3_open(cache + "/index.sqlite", &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    #expect(sqlite3_exec(other, "BEGIN IMMEDIATE; DELETE FROM entries", nil, nil, nil) == SQLITE_OK)
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
    #expect(try store.count() == 1)
    #expect(sqlite3_exec(other, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
  }

  @Test func twoStoresOnOneDirectorySeeEachOther() throws {
    let (one, other) = (makeStore(directory), makeStore(directory))
    try one.store(entry(1), for: key(1))
    #expect(try other.bytes(for: key(1)) == body(1, count: 100))
    try other.store(entry(2, count: 5000), for: key(1))
    #expect(try one.bytes(for: key(1)) == body(2, count: 5000))
    try one.removeAll()
    #expect(try other.count() == 0)
  }

  @Test func aFileThatAnotherHasYetToRemoveHidesNothingNew() throws {
    let (one, other) = (makeStore(directory), makeStore(directory))
    try one.store(entry(1, count: 5000), for: key(1))
    #expect(try one.bytes(for: key(1)) == body(1, count: 5000))
    let file = try #require(directory.bodyFiles.first)
    link(file, directory.path + "/aside")
    try other.removeAll()
    rename(directory.path + "/aside", file)
    try one.store(entry(2, count: 5000), for: key(1))
    #expect(try one.bytes(for: key(1)) == body(2, count: 5000))
  }

  @Test func countingAndAskingLookAtNoBody() throws {
    let store = makeStore(directory)
    for number in 0..<20 { try store.store(entry(number, count: 5000), for: key(number)) }
    let size = try store.totalSize()
    try FileManager.default.removeItem(atPath: cache + "/bodies")
    #expect(try (0..<20).allSatisfy { try store.contains(key($0)) } && !store.contains(key(20)))
    #expect(try store.count() == 20 && store.totalSize() == size)
    #expect(try store.entries().count == 20)
  }
}
