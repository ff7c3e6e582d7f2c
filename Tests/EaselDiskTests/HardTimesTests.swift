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

  @Test func aFullDiskIsReportedAndReadingGoesOn() throws {
    guard mount(size: "2m") else { return }
    defer { unmount() }
    let store = makeStore(directory)
    try store.store(entry(1, count: 50_000), for: key(1))
    try store.store(entry(2, count: 500), for: key(2))
    var error: ImageError?
    for number in 3..<200 where error == nil {
      do {
        try store.store(entry(number, count: number % 2 == 0 ? 900 : 30_000), for: key(number))
      } catch let failure as ImageError {
        error = failure
      }
    }
    #expect(error?.code == .cacheFailed)
    #expect(error?.message.contains("full") == true)
    #expect(try store.bytes(for: key(1)) == body(1, count: 50_000))
    #expect(try store.bytes(for: key(2)) == body(2, count: 500))
    store.close()
  }

  @Test func whereNobodyMayWriteReadingGoesOn() throws {
    guard mount(size: "4m") else { return }
    defer { unmount() }
    let filled = makeStore(directory)
    try filled.store(entry(1, count: 5000), for: key(1))
    try filled.store(entry(2, count: 500), for: key(2))
    filled.close()
    guard command("/bin/mount", ["-o", "remount,ro", cache]) else {
      print("skipped: the file system cannot be made read-only")
      return
    }
    let store = makeStore(directory)
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
    #expect(try store.bytes(for: key(2)) == body(2, count: 500))
    let error = #expect(throws: ImageError.self) { try store.store(entry(3), for: key(3)) }
    #expect(error?.code == .cacheFailed && error?.message.contains("only be read") == true)
    #expect(throws: ImageError.self) { try store.remove(key(1)) }
    #expect(try store.count() == 2)
    let beside = try TemporaryDirectory()
    #expect(try makeStore(beside, readOnlyDirectories: [cache]).bytes(for: key(1)) == body(1, count: 5000))
    store.close()
  }

  private func mount(size: String) -> Bool {
    try? FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
    let isMounted = geteuid() == 0 && command("/bin/mount", ["-t", "tmpfs", "-o", "size=\(size)", "easel", cache])
    if !isMounted { print("skipped: a small file system can only be mounted by root, where mounting is allowed") }
    return isMounted
  }

  private func unmount() { _ = command("/bin/umount", ["-l", cache]) }

  private func command(_ path: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
