import CEaselDisk
import EaselCore
import EaselDisk
import EaselTestSupport
import Foundation
import Testing

@Suite struct DamageTests {
  private let directory: TemporaryDirectory
  private var cache: String { directory.path + "/cache" }

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: ["missing", "cut", "grown", "flipped", "folder"])
  func aBodyThatIsNotWhatWasStoredIsAMissAndRemoved(damage: String) throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    try store.store(entry(2, count: 5000), for: key(2))
    let file = try #require(
      directory.bodyFiles.first { try Data(contentsOf: URL(fileURLWithPath: $0)) == Data(body(1, count: 5000)) })
    switch damage {
    case "missing": unlink(file)
    case "cut": truncate(file, 100)
    case "grown": truncate(file, 5001)
    case "folder":
      unlink(file)
      mkdir(file, 0o700)
    default:
      var bytes = body(1, count: 5000)
      bytes[4321] ^= 1
      try Data(bytes).write(to: URL(fileURLWithPath: file))
    }
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.count() == 1)
    #expect(try store.bytes(for: key(2)) == body(2, count: 5000))
    try store.store(entry(1, count: 5000), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
  }

  @Test(arguments: [
    "bodies SET body = zeroblob(100)", "entries SET record = x'00'", "entries SET response = x'0102'",
    "entries SET checksum = checksum + 1", "entries SET bytes = -1", "entries SET file = 5",
    "entries SET bytes = bytes + 1",
  ])
  func aRowThatIsNotWhatWasStoredIsAMissAndRemoved(change: String) throws {
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    try run("UPDATE \(change)")
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.count() == 0)
  }

  @Test func clearingSetsWrongTotalsRight() throws {
    let store = makeFilled()
    try run("UPDATE totals SET count = count + 5, size = size + 1000")
    #expect(try store.count() == 35)
    try store.removeAll()
    #expect(try store.count() == 0 && store.totalSize() == 0)
  }

  @Test(
    arguments: ["totals", "entries"], ["9223372036854775807", "-9223372036854775808", "1e300", "-1e300", "'text'"])
  func sizesThatCannotBeEndNoProcess(table: String, size: String) throws {
    let clock = ManualClock()
    let store = makeStore(directory, .init(sizeLimit: 20_000), clock: clock)
    for number in 0..<5 { try store.store(entry(number, count: 2000), for: key(number)) }
    try run("UPDATE \(table) SET size = \(size)")
    for number in 30..<60 {
      clock.advance(by: .seconds(1))
      try store.store(entry(number, count: 2000), for: key(number))
    }
    _ = try (store.count(), store.totalSize(), store.entries())
    try store.trim()
    try store.trim()
    #expect(try store.totalSize() <= 20_000)
    #expect(try store.bytes(for: key(59)) == body(59, count: 2000))
  }

  @Test(
    arguments: ["used", "changed", "created"],
    ["1e308", "-1e308", "1e20", "-9e18", "9223372036854775807", "9e999", "-9e999", "'text'", "x'00'"])
  func timesThatCannotBeAreBroughtWithinReason(column: String, time: String) throws {
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    try run("UPDATE entries SET \(column) = \(time)")
    let found = try #require(store.entries().first)
    for date in [found.lastUse, found.lastChange, found.creation] {
      #expect((1...9999).contains(Calendar(identifier: .gregorian).component(.year, from: date)))
      #expect(abs(date.timeIntervalSince1970) < 1e12)
    }
    _ = try (store.contains(key(1)), store.entry(for: key(1)), store.trim())
  }

  @Test func trimmingSetsWrongTotalsRight() throws {
    let store = makeFilled()
    let size = try store.totalSize()
    try run("UPDATE totals SET count = count + 5, size = size + 1000")
    try store.trim()
    #expect(try store.count() == 30 && store.totalSize() == size)
  }

  @Test func anotherKeyUnderTheSameNumberIsAMiss() throws {
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    try run("UPDATE entries SET key = x'0161'")
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try !store.contains(key(1)))
    #expect(try store.count() == 1)
    try store.store(entry(2), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(2, count: 100))
    #expect(try store.count() == 1)
  }

  @Test func leftoversAreSweptAway() throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    let file = try #require(directory.bodyFiles.first)
    try FileManager.default.copyItem(atPath: file, toPath: String(file.dropLast()) + (file.hasSuffix("0") ? "1" : "0"))
    #expect(directory.bodyFiles.count == 2)
    try store.trim()
    #expect(directory.bodyFiles == [file])
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
  }

  @Test(arguments: ["", "no database at all", "SQLite format 3\0"])
  func whatIsNoDatabaseIsReplaced(content: String) throws {
    makeFilled().close()
    for file in ["-wal", "-shm"] { unlink(cache + "/index.sqlite" + file) }
    try Data((content + String(repeating: "x", count: content.isEmpty ? 0 : 9000)).utf8)
      .write(to: URL(fileURLWithPath: cache + "/index.sqlite"))
    let store = makeStore(directory)
    #expect(try store.entry(for: key(1)) == nil)
    try store.store(entry(1), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(1, count: 100))
  }

  @Test func aDatabaseOfALaterVersionIsLeftAlone() throws {
    makeFilled().close()
    try run("PRAGMA user_version = 99; PRAGMA application_id = \(0x4561_0000 ^ 99)")
    let store = makeStore(directory)
    let error = #expect(throws: ImageError.self) { try store.store(entry(1), for: key(1)) }
    #expect(error?.code == .cacheFailed && error?.message.contains("later version") == true)
    try run("PRAGMA user_version = 1; PRAGMA application_id = \(0x4561_0000 ^ 1)")
    #expect(try makeStore(directory).count() == 30)
  }

  @Test(arguments: [99, 2, 0, -1])
  func aVersionThatNobodyWroteIsDamage(version: Int) throws {
    makeFilled().close()
    try run("PRAGMA user_version = \(version)")
    let store = makeStore(directory)
    #expect(try store.count() == 0)
    try store.store(entry(1), for: key(1))
    #expect(try makeStore(directory).bytes(for: key(1)) == body(1, count: 100))
  }

  @Test func checkingFindsDamageAndStartsAfresh() throws {
    let store = makeFilled()
    #expect(try store.checkIntegrity())
    store.close()
    try run("PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: cache + "/index.sqlite"))
    for page in 3..<8 {
      try file.seek(toOffset: UInt64(page * 8192))
      try file.write(contentsOf: Data(repeating: 0xA5, count: 8192))
    }
    try file.close()
    #expect(try !store.checkIntegrity())
    #expect(try store.checkIntegrity())
    try store.store(entry(1), for: key(1))
    #expect(try store.count() == 1)
    try store.trim()
    #expect(directory.bodyFiles.isEmpty)
  }

  @Test func aListOfRowsOutOfOrderEnds() throws {
    makeFilled().close()
    try run("PRAGMA wal_checkpoint(TRUNCATE)")
    let url = URL(fileURLWithPath: cache + "/index.sqlite")
    var bytes = try [UInt8](Data(contentsOf: url))
    // Swaps the first and the last row in each leaf page (13) of a table.
    for page in stride(from: 8192, to: bytes.count, by: 8192) where bytes[page] == 13 {
      let count = Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
      guard count > 1 else { continue }
      for byte in 0..<2 { bytes.swapAt(page + 8 + byte, page + 8 + 2 * (count - 1) + byte) }
    }
    try Data(bytes).write(to: url)
    let store = makeStore(directory)
    #expect(try store.entries().isEmpty)
    try store.store(entry(1), for: key(1))
    #expect(try store.entries().map(\.key) == [key(1)])
  }

  @Test(arguments: [false, true])
  func noDamageGivesAWrongPictureOrAnError(whileOpen: Bool) throws {
    makeFilled().close()
    let whole = directory.path + "/whole"
    try FileManager.default.copyItem(atPath: cache, toPath: whole)
    var random = SeededRandom(seed: whileOpen ? 1 : 2)
    for round in 0..<faultRounds(25) {
      try FileManager.default.removeItem(atPath: cache)
      try FileManager.default.copyItem(atPath: whole, toPath: cache)
      let store = makeStore(directory)
      if whileOpen { _ = try store.entry(for: key(round % 30)) }
      let what = try damage(&random)
      for number in 0..<30 {
        let found = try store.bytes(for: key(number))
        #expect(found == nil || found == body(number, count: number * 100), "round \(round), \(what)")
      }
      try store.store(entry(77, count: 3000), for: key(77))
      #expect(try store.bytes(for: key(77)) == body(77, count: 3000), "round \(round), \(what)")
      try store.trim()
      try store.renew(response("x"), ofOriginal: key(3), generation: 1)
      _ = try (store.count(), store.totalSize(), store.entries())
      try store.removeAll()
      #expect(try store.count() == 0)
      #expect(directory.bodyFiles.isEmpty)
    }
  }

  private func makeFilled() -> SQLiteDiskStore {
    let store = makeStore(directory)
    for number in 0..<30 { try? store.store(entry(number, count: number * 100), for: key(number)) }
    return store
  }

  /// Flips bytes of a file or cuts it; returns a description of the damage.
  private func damage(_ random: inout SeededRandom) throws -> String {
    var files = directory.bodyFiles.shuffled(using: &random).prefix(1) + [cache + "/index.sqlite"]
    if FileManager.default.fileExists(atPath: cache + "/index.sqlite-wal") { files.append(cache + "/index.sqlite-wal") }
    let path = files.randomElement(using: &random)!
    let url = URL(fileURLWithPath: path)
    let size = try Data(contentsOf: url).count
    if Int.random(in: 0..<4, using: &random) == 0 {
      let end = Int.random(in: 0...size, using: &random)
      truncate(path, end)
      return "\(path) cut at \(end)"
    }
    let file = try FileHandle(forUpdating: url)
    let offsets = (0..<Int.random(in: 1..<40, using: &random)).map { _ in
      Int.random(in: 0..<max(1, size), using: &random)
    }
    for offset in offsets where offset < size {
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data([UInt8.random(in: 0...255, using: &random)]))
    }
    try file.close()
    return "\(path) flipped at \(offsets)"
  }

  private func run(_ sql: String) throws {
    var handle: OpaquePointer?
    #expect(sqlite3_open(cache + "/index.sqlite", &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }
}
