import CEaselRecords
import EaselCore
import EaselDisk
import EaselTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite struct SQLiteDiskStoreTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: [0, 1, 100, 1000, 1001, 300_000])
  func whatWasStoredIsFoundWithItsRecord(count: Int) throws {
    let store = makeStore(directory)
    let record = CacheRecord(
      stored: Date(timeIntervalSinceReferenceDate: 123.456), generation: .max, mimeType: "image/png",
      response: response("\"a\""), extendedData: Data([1, 2, 3]))
    let bytes = body(7, count: count)
    try store.store(CacheEntry(bytes: ImageBytes(bytes), record: record), for: key(1))
    let found = try #require(try store.entry(for: key(1)))
    // The row has the whole key, so its record names it.
    var expected = record
    expected.keyDigest = key(1).digest
    #expect(found.record == expected)
    #expect(try store.entry(for: key(1))?.record == expected)
    #expect(try found.bytes?.withUnsafeBytes { Array($0) } == bytes)
    #expect(found.image == nil)
    #expect(try store.entry(for: key(2)) == nil)
  }

  @Test func whatIsStoredOutlivesTheStore() throws {
    try makeStore(directory).store(entry(1), for: key(1, "Flip(1,0)"))
    try makeStore(directory).store(entry(2, count: 5000), for: key(2))
    let store = makeStore(directory)
    #expect(try store.bytes(for: key(1, "Flip(1,0)")) == body(1, count: 100))
    #expect(try store.bytes(for: key(2)) == body(2, count: 5000))
    #expect(try store.count() == 2)
  }

  @Test func nothingIsMadeBeforeItIsNeeded() {
    _ = makeStore(directory)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/cache"))
  }

  @Test func aLaterEntryTakesThePlaceOfAnEarlierWhateverTheirSizes() throws {
    let store = makeStore(directory)
    for (number, count) in [10, 5000, 6000, 20, 7000].enumerated() {
      try store.store(entry(number, count: count), for: key(1))
      #expect(try store.bytes(for: key(1)) == body(number, count: count))
      #expect(try store.count() == 1)
      #expect(directory.bodyFiles.count == (count > 1000 ? 1 : 0))
    }
    try store.store(entry(9, count: 10), for: key(1))
    let size = try store.totalSize()
    #expect(size >= 10 && size < 500)
  }

  @Test func removedEntriesAreGoneWithTheirFiles() throws {
    let store = makeStore(directory)
    try store.store(entry(count: 5000), for: key(1))
    try store.store(entry(count: 10), for: key(2))
    try store.remove(key(1))
    try store.remove(key(1))
    try store.remove(key(2))
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.count() == 0)
    #expect(try store.totalSize() == 0)
    #expect(directory.bodyFiles.isEmpty)
  }

  /// The files are gone, but only reading a body notices that.
  @Test func whatIsThereAndHowMuchIsSaidWithoutLookingIntoTheDirectory() throws {
    let store = makeStore(directory)
    for number in 0..<20 { try store.store(entry(number, count: 5000), for: key(number)) }
    let size = try store.totalSize()
    try FileManager.default.moveItem(atPath: directory.path + "/cache/bodies", toPath: directory.path + "/elsewhere")
    for number in 0..<20 { #expect(try store.contains(key(number))) }
    #expect(try store.count() == 20)
    #expect(try store.totalSize() == size && size > 20 * 5000)
    #expect(try store.entry(for: key(3)) == nil)
    #expect(try !store.contains(key(3)))
    #expect(try store.count() == 19)
  }

  @Test func clearingForgetsEverything() throws {
    let store = makeStore(directory)
    for number in 0..<50 { try store.store(entry(number, count: number * 60), for: key(number)) }
    try store.removeAll()
    #expect(try (0..<50).allSatisfy { try store.entry(for: key($0)) == nil })
    #expect(try store.count() == 0)
    #expect(try store.totalSize() == 0)
    #expect(directory.bodyFiles.isEmpty)
    try store.store(entry(3), for: key(3))
    #expect(try store.contains(key(3)))
  }

  @Test func keysThatDifferInAnyPartAreDifferentEntries() throws {
    let store = makeStore(directory)
    let keys = [
      CacheKey(original: "a"), CacheKey(original: "b"), CacheKey(original: ""), CacheKey(original: "a\0b"),
      CacheKey(original: "a", scope: CacheKey.Scope(parts: [.init(name: "n", value: "v")])),
      CacheKey(original: "a", scope: CacheKey.Scope(parts: [.init(name: "nv", value: "")])),
      CacheKey(original: "a", suffixes: [CacheKey.Suffix("Flip(1,0)")]),
      CacheKey(original: "a", suffixes: [CacheKey.Suffix("Flip(1,0)", origin: .custom)]),
      CacheKey(original: "a", suffixes: [CacheKey.Suffix("Flip"), CacheKey.Suffix("(1,0)")]),
    ]
    for (number, key) in keys.enumerated() { try store.store(entry(number), for: key) }
    for (number, key) in keys.enumerated() { #expect(try store.bytes(for: key) == body(number, count: 100)) }
    #expect(Set(try store.entries().map(\.key)) == Set(keys))
  }

  @Test func aScopeThatMeansNothingElsewhereIsNotStored() throws {
    let store = makeStore(directory)
    #expect(key(1).isStorable)
    try store.store(CacheEntry(record: .sample()), for: key(1))
    #expect(try store.count() == 0)
  }

  @Test func renewingReachesTheOriginalAndItsVariantsAndForgetsThoseOfOtherBytes() throws {
    let store = makeStore(directory)
    let scoped = CacheKey(
      original: key(1).original, scope: CacheKey.Scope(parts: [.init(name: "user", value: "1")]))
    try store.store(entry(1, count: 5000, generation: 5), for: key(1))
    try store.store(entry(2, generation: 5), for: key(1, "Flip(1,0)"))
    try store.store(entry(3, count: 5000, generation: 4), for: key(1, "Blur(2)"))
    try store.store(entry(4, generation: 4), for: key(2))
    try store.store(entry(5, generation: 5), for: scoped)
    try store.renew(response("new"), ofOriginal: key(1, "Whatever"), generation: 5)
    for each in [key(1), key(1, "Flip(1,0)")] {
      #expect(try store.entry(for: each)?.record.response == response("new"))
      #expect(try store.entry(for: each)?.record.generation == 5)
    }
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
    #expect(try store.entry(for: key(1, "Blur(2)")) == nil)
    #expect(try store.entry(for: key(2))?.record.generation == 4)
    #expect(try store.entry(for: key(2))?.record.response == nil)
    #expect(try store.entry(for: scoped)?.record.response == nil)
    #expect(directory.bodyFiles.count == 1)
    try store.renew(nil, ofOriginal: key(1), generation: 6)
    #expect(try store.count() == 2)
  }

  @Test func theListingTellsWhatIsThere() throws {
    let clock = ManualClock()
    let store = makeStore(directory, clock: clock)
    for number in 0..<200 { try store.store(entry(number, count: number), for: key(number, "S")) }
    let entries = try store.entries()
    #expect(Set(entries.map(\.key)) == Set((0..<200).map { key($0, "S") }))
    #expect(entries.reduce(0) { $0 + $1.byteCount } == 199 * 100)
    #expect(entries.allSatisfy { $0.creation == clock.date && $0.record == .sample() })
  }

  @Test(
    arguments: [
      (["XDG_CACHE_HOME": "/caches", "HOME": "/home/me"], "/caches/easel"),
      (["HOME": "/home/me"], "/home/me/.cache/easel"),
      (["XDG_CACHE_HOME": "", "HOME": "/home/me"], "/home/me/.cache/easel"),
      (["XDG_CACHE_HOME": "caches", "HOME": "/home/me"], "/home/me/.cache/easel"),
      (["XDG_CACHE_HOME": "caches", "HOME": "me"], "/tmp/easel-\(getuid())"),
      ([:], "/tmp/easel-\(getuid())"),
    ])
  func theDefaultDirectoryLiesWhereCachesBelong(environment: [String: String], directory: String) {
    // The default has another name if another user owns a directory of that name in /tmp.
    #expect(SQLiteDiskStore.defaultDirectory(in: environment).hasPrefix(directory))
  }

  @Test func aDirectoryThatOthersMayFillIsNotTheDefault() throws {
    let scratch = try TemporaryDirectory()
    let own = "\(scratch.path)/own"
    #expect(SQLiteDiskStore.ownDirectory(own) == own)
    #expect(access(own, F_OK) != 0, "Asking for the name of a directory made it.")
    #expect(mkdir(own, 0o700) == 0)
    #expect(SQLiteDiskStore.ownDirectory(own) == own)
    let open = "\(scratch.path)/open"
    #expect(mkdir(open, 0o700) == 0 && chmod(open, 0o777) == 0)
    let link = "\(scratch.path)/link"
    #expect(symlink(own, link) == 0)
    let file = "\(scratch.path)/file"
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    for path in [open, link, file] {
      let other = SQLiteDiskStore.ownDirectory(path)
      #expect(other.hasPrefix("\(path)-") && other != SQLiteDiskStore.ownDirectory(path))
    }
  }

  @Test func nobodyElseMayReadWhatIsStored() throws {
    let directory = try TemporaryDirectory()
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    #expect(files.count > 3)
    for file in files {
      var status = stat()
      #expect(stat("\(directory.path)/\(file)", &status) == 0 && status.st_mode & 0o077 == 0, "\(file)")
    }
  }

  @Test func aDirectoryThatWasRemovedDoesNotComeBackWithTheEndOfItsStore() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/cache"
    do {
      let store = SQLiteDiskStore(directory: path, clock: ManualClock(), maintenanceInterval: nil)
      try store.store(entry(1), for: key(1))
      #expect(try store.entry(for: key(1)) != nil)
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func theDefaultDirectoryIsThatOfThisProcess() {
    let expected = SQLiteDiskStore.defaultDirectory(in: ProcessInfo.processInfo.environment)
    #expect(SQLiteDiskStore.defaultDirectory == expected)
    #expect(SQLiteDiskStore().directory == expected)
  }

  @Test func theChecksumIsTheOneThatTheFormatNames() {
    func sum(_ text: String, _ seed: UInt64 = 0) -> UInt64 {
      Array(text.utf8).withUnsafeBytes { easel_record_checksum($0.baseAddress, $0.count, seed) }
    }
    #expect(sum("") == 0xEF46_DB37_51D8_E999)
    #expect(sum("a") == 0xD24E_C4F1_A98C_6E5B)
    #expect(sum("abc") == 0x44BC_2CF5_AD77_0999)
    #expect(sum("abc", 1) != sum("abc"))
    #expect(sum(String(repeating: "0123456789", count: 10)) != sum(String(repeating: "0123456789", count: 9)))
  }

  @Test func anExtraDirectoryIsFoundAndNeverWritten() throws {
    let other = try TemporaryDirectory()
    let filled = makeStore(other)
    try filled.store(entry(1), for: key(1))
    try filled.store(entry(2, count: 5000), for: key(2))
    filled.close()
    let store = makeStore(directory, readOnlyDirectories: [other.path + "/nothing", other.path + "/cache"])
    #expect(try store.bytes(for: key(1)) == body(1, count: 100))
    #expect(try store.bytes(for: key(2)) == body(2, count: 5000))
    #expect(try store.contains(key(1)) && !store.contains(key(3)))
    #expect(try store.count() == 0)
    try store.store(entry(9), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(9, count: 100))
    try store.remove(key(1))
    try store.removeAll()
    #expect(try store.bytes(for: key(1)) == body(1, count: 100))
    #expect(try makeStore(other).count() == 2)
  }

  @Test func manyThreadsAtOnceSeeWholeEntriesOnly() async throws {
    let store = makeStore(directory)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          var random = SeededRandom(seed: UInt64(worker))
          for _ in 0..<150 {
            let number = Int.random(in: 0..<10, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: try store.store(entry(number, count: 900 + number * 30), for: key(number))
            case 1: try store.remove(key(number))
            default:
              let found = try store.bytes(for: key(number))
              #expect(found == nil || found == body(number, count: 900 + number * 30))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try store.trim()
    #expect(try directory.bodyFiles.count == store.entries().filter { $0.byteCount > 1000 }.count)
  }
}
