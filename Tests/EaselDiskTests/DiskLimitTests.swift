import EaselCore
import EaselDisk
import EaselTestSupport
import FoundationEssentials
import Testing

@Suite struct DiskLimitTests {
  private let directory: TemporaryDirectory
  private let clock = ManualClock()

  init() throws { directory = try TemporaryDirectory() }

  @Test func theSizeLimitHoldsWhileEntriesAreStored() throws {
    let store = makeStore(directory, .init(sizeLimit: 50_000), clock: clock)
    for number in 0..<200 {
      clock.advance(by: .seconds(1))
      try store.store(entry(number, count: 500 + number * 17 % 3000), for: key(number))
      #expect(try store.totalSize() <= 50_000)
    }
    #expect(try store.totalSize() > 35_000)
    #expect(try store.contains(key(199)) && !store.contains(key(0)))
    #expect(try directory.bodyFiles.count == store.entries().filter { $0.byteCount > 1000 }.count)
  }

  @Test func whatIsUnusedForLongestGoesFirst() throws {
    let store = makeStore(directory, .init(sizeLimit: 60_000), clock: clock)
    for number in 0..<50 {
      clock.advance(by: .seconds(1))
      try store.store(entry(number, count: 1000), for: key(number))
    }
    for number in 0..<10 {
      clock.advance(by: .seconds(1))
      #expect(try store.entry(for: key(number)) != nil)
    }
    store.limits.sizeLimit = 30_000
    try store.trim()
    let kept = try (0..<50).filter { try store.contains(key($0)) }
    #expect(try store.totalSize() <= 27_000)
    #expect(kept == Array(0..<10) + Array((60 - kept.count)..<50))
  }

  @Test func trimmingBelowTheLimitLeavesEverything() throws {
    let store = makeStore(directory, .init(sizeLimit: 100_000), clock: clock)
    for number in 0..<50 { try store.store(entry(number, count: 1800), for: key(number)) }
    let size = try store.totalSize()
    #expect(size > 90_000)
    try store.trim()
    #expect(try store.totalSize() == size)
  }

  @Test func anEntryLargerThanTheLimitOnlyTakesTheOldOneAway() throws {
    let store = makeStore(directory, .init(sizeLimit: 10_000), clock: clock)
    try store.store(entry(1, count: 2000), for: key(1))
    try store.store(entry(2, count: 2000), for: key(2))
    try store.store(entry(3, count: 20_000), for: key(1))
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.contains(key(2)))
    #expect(directory.bodyFiles.count == 1)
  }

  @Test func entriesExpireAWeekAfterTheirLastUse() throws {
    let store = makeStore(directory, clock: clock)
    try store.store(entry(1), for: key(1))
    try store.store(entry(2, count: 5000), for: key(2))
    clock.advance(by: day * 6)
    #expect(try store.entry(for: key(1)) != nil)
    clock.advance(by: day)
    #expect(try !store.contains(key(2)))
    #expect(try store.entry(for: key(2)) == nil)
    #expect(directory.bodyFiles.isEmpty)
    #expect(try store.contains(key(1)))
    clock.advance(by: day * 6)
    try store.trim()
    #expect(try store.count() == 0)
  }

  @Test func aUseThatWasNotYetWrittenDownCountsInTrimming() throws {
    let store = makeStore(directory, clock: clock)
    for number in 0..<3 { try store.store(entry(number), for: key(number)) }
    clock.advance(by: day * 5)
    _ = try store.entry(for: key(1))
    clock.advance(by: day * 5)
    try store.trim()
    #expect(try store.entries().map(\.key) == [key(1)])
  }

  @Test func usesAreWrittenDownWhenTheStoreEnds() throws {
    var store: SQLiteDiskStore? = makeStore(directory, clock: clock)
    try store?.store(entry(1), for: key(1))
    clock.advance(by: day)
    _ = try store?.entry(for: key(1))
    store = nil
    #expect(try makeStore(directory, clock: clock).entries().map(\.lastUse) == [clock.date])
  }

  @Test func usesAreWrittenDownTogetherWithWhatIsStored() throws {
    let store = makeStore(directory, clock: clock)
    for number in 0..<300 { try store.store(entry(number), for: key(number)) }
    let stored = clock.date
    clock.advance(by: day)
    for number in 0..<200 { _ = try store.entry(for: key(number)) }
    try store.store(entry(), for: key(1000))
    // These uses are too few for a separate write.
    #expect(try store.entries().filter { $0.lastUse > stored }.map(\.key) == [key(1000)])
    for number in 200..<300 { _ = try store.entry(for: key(number)) }
    try store.store(entry(), for: key(1000))
    #expect(try store.entries().filter { $0.lastUse > stored }.count == 301)
  }

  @Test func entriesExpireByTheirLastChange() throws {
    let store = makeStore(directory, .init(ageBasis: .lastChange), clock: clock)
    for number in 1...3 { try store.store(entry(number), for: key(number)) }
    clock.advance(by: day * 6)
    _ = try store.entry(for: key(1))
    try store.renew(response("new"), ofOriginal: key(2), generation: 1)
    try store.store(entry(3), for: key(3))
    clock.advance(by: day * 2)
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.contains(key(2)) && store.contains(key(3)))
    clock.advance(by: day * 6)
    try store.trim()
    #expect(try store.count() == 0)
  }

  @Test func entriesExpireByTheirCreation() throws {
    let store = makeStore(directory, .init(ageBasis: .creation), clock: clock)
    for number in 1...3 { try store.store(entry(number), for: key(number)) }
    clock.advance(by: day * 6)
    _ = try store.entry(for: key(1))
    try store.renew(response("new"), ofOriginal: key(2), generation: 1)
    try store.store(entry(3), for: key(3))
    try store.store(entry(4), for: key(4))
    clock.advance(by: day * 2)
    for number in 1...3 { #expect(try store.entry(for: key(number)) == nil) }
    clock.advance(by: day * 6)
    try store.trim()
    #expect(try store.count() == 0)
  }

  @Test(arguments: SQLiteDiskStore.Limits.AgeBasis.allCases)
  func aNegativeAgeLimitIsNone(basis: SQLiteDiskStore.Limits.AgeBasis) throws {
    let store = makeStore(directory, .init(ageLimit: .seconds(-1), ageBasis: basis), clock: clock)
    try store.store(entry(1), for: key(1))
    clock.advance(by: day * 10_000)
    try store.trim()
    #expect(try store.entry(for: key(1)) != nil)
  }

  @Test func aClockSetBackNeitherKeepsNorLosesEntriesForEver() throws {
    let store = makeStore(directory, clock: clock)
    for number in 0..<3 { try store.store(entry(number), for: key(number)) }
    clock.jump(to: clock.date.addingTimeInterval(-400 * 24 * 3600))
    #expect(try store.entry(for: key(1)) != nil)
    try store.trim()
    #expect(try store.count() == 3)
    clock.advance(by: day * 5)
    _ = try store.entry(for: key(1))
    clock.advance(by: day * 3)
    try store.trim()
    #expect(try store.entries().map(\.key) == [key(1)])
  }

  @Test func theStoreTidiesItselfWhileItLives() async throws {
    let store = SQLiteDiskStore(
      directory: directory.path + "/cache", clock: clock, largestInline: 1000, maintenanceInterval: .seconds(60))
    try store.store(entry(1, count: 5000), for: key(1))
    await clock.waitForSleepers()
    clock.advance(by: day * 8)
    await clock.waitForSleepers()
    #expect(try store.count() == 0)
    #expect(directory.bodyFiles.isEmpty)
  }

  @Test(arguments: [1, 2, 3])
  func itAgreesWithAPlainModel(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let store = makeStore(directory, .init(ageLimit: .seconds(500)), clock: clock)
    var model: [CacheKey: (bytes: [UInt8], used: Duration)] = [:]
    for step in 0..<600 {
      clock.advance(by: .seconds(Int.random(in: 0..<20, using: &random)))
      let each = key(Int.random(in: 0..<40, using: &random))
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<7:
        let bytes = body(step, count: Int.random(in: 0..<2000, using: &random))
        try store.store(CacheEntry(bytes: ImageBytes(bytes), record: .sample()), for: each)
        model[each] = (bytes, clock.uptime)
      case 7..<17:
        if let known = model[each], clock.uptime - known.used < .seconds(500) {
          model[each]?.used = clock.uptime
        } else {
          model[each] = nil
        }
        #expect(try store.bytes(for: each) == model[each]?.bytes)
      case 17:
        try store.remove(each)
        model[each] = nil
      case 18:
        try store.trim()
        model = model.filter { clock.uptime - $0.value.used < .seconds(500) }
        #expect(try store.count() == model.count)
      default: store.close()
      }
    }
    try store.trim()
    model = model.filter { clock.uptime - $0.value.used < .seconds(500) }
    #expect(try Set(store.entries().map(\.key)) == Set(model.keys))
  }
}
