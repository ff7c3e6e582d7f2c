import CEaselDisk
import EaselCore
import EaselDisk
import EaselTestSupport
import Foundation
import Testing

/// A foreign process truncates the one mapped file; reading the missing pages would end this process.
@Suite struct LogIndexFileTests {
  private let directory: TemporaryDirectory
  private var sharedIndex: String { directory.path + "/cache/index.sqlite-shm" }

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: [0, 1, 100, 4096, 10_000, 32_767])
  func aCutOneIsMadeAnew(size: Int) throws {
    let (store, other) = (makeStore(directory), makeStore(directory))
    for number in 0..<30 { try store.store(entry(number, count: number * 100), for: key(number)) }
    #expect(try other.count() == 30)
    truncate(sharedIndex, size)
    for number in 0..<30 { #expect(try store.bytes(for: key(number)) == body(number, count: number * 100)) }
    truncate(sharedIndex, size)
    try store.store(entry(30, count: 5000), for: key(30))
    truncate(sharedIndex, size)
    #expect(try other.count() == 31)
    #expect(try other.bytes(for: key(30)) == body(30, count: 5000))
    try other.trim()
    truncate(sharedIndex, size)
    #expect(try store.contains(key(7)))
    #expect(try store.checkIntegrity())
    truncate(sharedIndex, size)
    other.close()
    truncate(sharedIndex, size)
    store.close()
    #expect(try makeStore(directory).count() == 31)
  }

  @Test func aLargeOneThatIsCutIsMadeAnew() throws {
    let store = makeStore(directory)
    var writer: OpaquePointer?
    try store.store(entry(1), for: key(1))
    // A reader keeps the log from restarting, so that its index grows beyond one piece.
    #expect(sqlite3_open(directory.path + "/cache/index.sqlite", &writer) == SQLITE_OK)
    defer { sqlite3_close(writer) }
    #expect(sqlite3_exec(writer, "BEGIN; SELECT * FROM entries", nil, nil, nil) == SQLITE_OK)
    for number in 2..<2500 { try store.store(entry(1, count: 900), for: key(number)) }
    let size = try Data(contentsOf: URL(fileURLWithPath: sharedIndex)).count
    #expect(size > 32_768)
    truncate(sharedIndex, 32_768)
    #expect(try store.count() == 2499)
    #expect(try store.bytes(for: key(2222)) == body(1, count: 900))
  }

  @Test func aLinkInItsPlaceLeadsNowhere() throws {
    let stranger = directory.path + "/stranger"
    let letter = Data(repeating: 7, count: 100_000)
    try letter.write(to: URL(fileURLWithPath: stranger))
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    let moved = directory.path + "/moved"
    #expect(rename(sharedIndex, moved) == 0 && symlink(stranger, sharedIndex) == 0 && truncate(moved, 0) == 0)
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
    #expect(try Data(contentsOf: URL(fileURLWithPath: stranger)) == letter)
  }

  @Test func oneThatWasTakenAwayIsMadeAnew() throws {
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    unlink(sharedIndex)
    try store.store(entry(2), for: key(2))
    #expect(try store.bytes(for: key(1)) == body(1, count: 100))
    #expect(try makeStore(directory).count() == 2)
  }
}
