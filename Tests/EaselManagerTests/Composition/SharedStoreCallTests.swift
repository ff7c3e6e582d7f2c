import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// The time and the errors of a shared store under a tiered cache.
struct SharedStoreCallTests {
  private struct Failure: Error {}

  private let clock = ManualClock()
  private let memory = RecordingMemoryStore()
  private let disk = RecordingDiskStore()
  private let store = InMemorySharedStore()
  private let key = CacheKey(original: "picture")
  private let variant = CacheKey(
    original: "picture", suffixes: [CacheKey.Suffix("Encode(png,80)", origin: .encoding)])
  private let entry = CacheEntry(bytes: ImageBytes([1, 2, 3]), record: .sample(generation: 7))
  private let events = Watched<[String]>([])
  private let lines = Locked<[String]>([])

  private var cache: TieredCache {
    var settings = TieredCache.SharedStoreSettings()
    settings.observer = { [events] event in
      events.withLock { events in
        switch event {
        case .hit: events.append("hit")
        case .miss: events.append("miss")
        case .failed: events.append("failed")
        case .opened: events.append("opened")
        case .closed: events.append("closed")
        }
      }
    }
    settings.log = { [lines] line in lines.withLock { $0.append(line) } }
    return TieredCache(
      memory: memory, disk: disk, shared: store, sharedSettings: settings, clock: clock, workers: .patient())
  }

  @Test func theSharedStoreIsAskedLast() async throws {
    let cache = cache
    try await store.store(entry, for: key)
    store.forgetCalls()
    let found = try #require(try await cache.query(key, in: .all))
    #expect(found.layer == .shared && found.entry.record == entry.record && found.entry.bytes?.count == 3)
    disk.seed(entry, for: key)
    #expect(try await cache.query(key, in: .all)?.layer == .disk)
    memory.store(entry, for: key)
    #expect(try await cache.query(key, in: .all)?.layer == .memory)
    #expect(store.calls == [.query(key)])
    #expect(try await cache.query(key, in: .local)?.layer == .memory)
    #expect(try await cache.contains(key, in: .all) == .all)
  }

  @Test func aDiskThatFailsDoesNotHideTheSharedStore() async throws {
    let cache = cache
    disk.fail(.query, with: Failure())
    try await store.store(entry, for: key)
    #expect(try await cache.query(key, in: .all)?.layer == .shared)
    await #expect(throws: ImageError.self) { try await cache.query(CacheKey(original: "other"), in: .all) }
    disk.fail(.remove, with: Failure())
    await #expect(throws: ImageError.self) { try await cache.remove(key, from: .all) }
    #expect(store.entries.isEmpty)
  }

  @Test func onlyBytesGoOut() async throws {
    let cache = cache
    let image = Image(try ToyImage.small.expectedBitmap(), format: ToyImage.format)
    try await cache.store(CacheEntry(image: image, record: .sample()), for: key, in: .all)
    #expect(store.calls.isEmpty)
    try await cache.store(CacheEntry(image: image, bytes: entry.bytes, record: .sample()), for: key, in: .all)
    #expect(store.entries[key]?.image == nil && store.entries[key]?.bytes?.count == 3)
  }

  @Test func anAnswerThatTakesTooLongIsAMissOnce() async throws {
    let cache = cache
    try await store.store(entry, for: key)
    store.suspend(.query)
    for (key, time) in [(key, 500), (variant, 100)] {
      let lookup = Task { try await cache.query(key, in: .all) }
      await store.waitUntilSuspended(.query)
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(time - 1))
      #expect(clock.sleeperCount == 1)
      clock.advance(by: .milliseconds(1))
      let error = await #expect(throws: ImageError.self) { try await lookup.value }
      #expect(error?.code == .cacheFailed && error?.sharedStoreTrouble == .failed)
    }
    // The call that was over its time is cancelled.
    store.resume(.query)
    #expect(try await cache.query(key, in: .all)?.layer == .shared)
    #expect(events.withLock { $0 } == ["failed", "failed", "hit"])
  }

  @Test func aStoreThatFailsFiveTimesIsLeftAloneForFiveSeconds() async throws {
    let cache = cache
    store.failEverything(with: Failure())
    for _ in 0..<5 { await #expect(throws: ImageError.self) { try await cache.query(key, in: .all) } }
    #expect(store.calls.count == 5 && cache.sharedCounts.isOpen)
    for _ in 0..<100 {
      let refused = await #expect(throws: ImageError.self) { try await cache.query(key, in: .all) }
      #expect(refused?.sharedStoreTrouble == .passedOver)
    }
    let refused = await #expect(throws: ImageError.self) { try await cache.store(entry, for: key, in: .shared) }
    #expect(refused?.sharedStoreTrouble == .passedOver)
    #expect(store.calls.count == 5)
    clock.advance(by: .seconds(5))
    await tryAgain(cache)
    await events.wait { $0.last == "failed" }
    #expect(store.calls.last == .contains(key) && store.calls.count == 6)
    store.failEverything(with: nil)
    clock.advance(by: .seconds(5))
    await tryAgain(cache)
    await events.wait { $0.last == "closed" }
    try await cache.store(entry, for: key, in: .shared)
    #expect(try await cache.query(key, in: .all)?.layer == .shared)
    #expect(try await cache.query(CacheKey(original: "other"), in: .all) == nil)
    let counts = cache.sharedCounts
    #expect(counts.hits == 1 && counts.misses == 1 && counts.failures == 6 && counts.passedOver == 103)
    #expect(counts.openings == 1 && !counts.isOpen)
    let expected = Array(repeating: "failed", count: 5) + ["opened", "failed", "closed", "hit", "miss"]
    #expect(events.withLock { $0 } == expected)
  }

  /// Makes a lookup that begins a trial, and does not wait for that.
  private func tryAgain(_ cache: TieredCache) async {
    let refused = await #expect(throws: ImageError.self) { try await cache.query(key, in: .all) }
    #expect(refused?.sharedStoreTrouble == .passedOver)
  }

  @Test func anAnswerThatIsLateDoesNotBringTheStoreBack() async throws {
    let cache = cache
    store.failEverything(with: Failure())
    for _ in 0..<5 { await #expect(throws: ImageError.self) { try await cache.query(key, in: .all) } }
    store.failEverything(with: nil)
    for _ in 0..<3 {
      clock.advance(by: .seconds(5))
      store.suspend(.contains)
      await tryAgain(cache)
      await store.waitUntilSuspended(.contains)
      // Meanwhile nobody else tries, and nobody stores.
      for _ in 0..<10 { await tryAgain(cache) }
      await #expect(throws: ImageError.self) { try await cache.store(entry, for: key, in: .shared) }
      await clock.waitForSleepers()
      let failures = cache.sharedCounts.failures
      clock.advance(by: .milliseconds(100))
      while cache.sharedCounts.failures == failures { await Task.yield() }
      store.resume(.contains)
      clock.advance(by: .milliseconds(4900))
      await tryAgain(cache)
      #expect(cache.sharedCounts.isOpen)
    }
    #expect(store.calls.count { $0 == .contains(key) } == 3 && store.calls.count == 8)
  }

  @Test func storingLateForgivesNoLookups() async throws {
    let cache = cache
    for _ in 0..<4 {
      store.fail(.query, with: Failure())
      await #expect(throws: ImageError.self) { try await cache.query(variant, in: .all) }
      store.fail(.query, with: nil)
      // An original may take longer than the variants that fail.
      store.suspend(.query)
      let lookup = Task { try await cache.query(key, in: .all) }
      await store.waitUntilSuspended(.query)
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(300))
      store.resume(.query)
      #expect(try await lookup.value == nil)
      try await cache.store(entry, for: variant, in: .shared)
    }
    #expect(!cache.sharedCounts.isOpen)
    store.fail(.query, with: Failure())
    await #expect(throws: ImageError.self) { try await cache.query(variant, in: .all) }
    #expect(cache.sharedCounts.isOpen && cache.sharedCounts.openings == 1)
  }

  @Test func aStoreThatTakesNothingMoreIsStillAsked() async throws {
    let cache = cache
    try await store.store(entry, for: key)
    store.fail(.store, with: Failure())
    for _ in 0..<10 {
      await #expect(throws: ImageError.self) { try await cache.store(entry, for: variant, in: .shared) }
    }
    #expect(try await cache.query(key, in: .all)?.layer == .shared)
    #expect(!cache.sharedCounts.isOpen && cache.sharedCounts.failures == 10)
  }

  @Test func aMinuteHasOneLineInTheLog() async throws {
    let cache = cache
    store.failEverything(with: Failure())
    for trials in 0..<24 {
      for _ in 0..<10 { _ = try? await cache.query(key, in: .all) }
      await events.wait { $0.count { $0 == "failed" } == 5 + trials }
      clock.advance(by: .seconds(5))
    }
    #expect(lines.withLock { $0.count } == 2)
    #expect(lines.withLock { $0[0] }.contains("failed once"))
    #expect(lines.withLock { $0[1] }.contains("Failure()"))
  }

  @Test func aCallerThatGivesUpIsNoFailureOfTheStore() async throws {
    let cache = cache
    store.suspend(.query)
    for _ in 0..<7 {
      let lookup = Task { try await cache.query(key, in: .all) }
      await store.waitUntilSuspended(.query)
      lookup.cancel()
      let error = await #expect(throws: ImageError.self) { try await lookup.value }
      #expect(error?.isCancellation == true)
      while clock.sleeperCount > 0 { await Task.yield() }
    }
    #expect(cache.sharedCounts == TieredCache.SharedStoreCounts())
    store.resume(.query)
    #expect(try await cache.query(key, in: .all) == nil)
  }

  @Test func callsThatNeverReturnAreBounded() async throws {
    let cache = cache
    for operation in [StoreOperation.query, .contains] { store.suspend(operation, isDeaf: true) }
    for number in 1...8 {
      let lookup = Task { try await cache.query(key, in: .all) }
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(500))
      await #expect(throws: ImageError.self) { try await lookup.value }
      while cache.sharedCounts.failures < number { await Task.yield() }
      clock.advance(by: .seconds(5))
    }
    for _ in 0..<10 { await tryAgain(cache) }
    #expect(clock.sleeperCount == 0 && store.calls.count == 8 && cache.sharedCounts.isOpen)
    for operation in [StoreOperation.query, .contains] { store.resume(operation) }
  }

  @Test func aThousandCallersWaitOnceAndOpenItOnce() async throws {
    let cache = cache
    store.suspend(.query)
    let lookups = (0..<1000).map { _ in Task { try await cache.query(variant, in: .all) } }
    while clock.sleeperCount < 1000 || store.calls.count < 1000 { await Task.yield() }
    clock.advance(by: .milliseconds(100))
    for lookup in lookups { await #expect(throws: ImageError.self) { try await lookup.value } }
    #expect(cache.sharedCounts.openings == 1 && cache.sharedCounts.failures == 1000)
    // Nobody waits from now on: nothing moves the clock.
    for _ in 0..<100 { await #expect(throws: ImageError.self) { try await cache.query(variant, in: .all) } }
    #expect(store.calls.count == 1000)
    store.resume(.query)
    // One call tries if it is back, and nobody waits for it.
    clock.advance(by: .seconds(5))
    store.suspend(.contains)
    for _ in 0..<100 { await #expect(throws: ImageError.self) { try await cache.query(variant, in: .all) } }
    await store.waitUntilSuspended(.contains)
    #expect(store.calls.count == 1001)
    store.resume(.contains)
    await events.wait { $0.last == "closed" }
    #expect(try await cache.query(variant, in: .all) == nil && !cache.sharedCounts.isOpen)
  }

  @Test func aStoreMayBeUnableToCount() async throws {
    let cache = cache
    try await cache.store(entry, for: key, in: .all)
    #expect(try await cache.count(in: .all) == 3)
    #expect(try await cache.count(in: .shared) == 1)
    store.forgetNumbers()
    #expect(try await cache.count(in: .all) == 2)
    let local = try await cache.size(of: .local)
    #expect(try await cache.size(of: .all) == local)
    await #expect(throws: ImageError.self) { try await cache.count(in: .shared) }
  }

  @Test func keysOfThisProcessStayHere() async throws {
    let modifier = FakeRequestModifier(cacheIdentity: .instance)
    let request = ImageRequest("http://a/b.png", context: [.requestModifier(modifier)])
    let configuration = ImageManager.Configuration(loader: FakeLoader(), coder: CoderRegistry(), cache: cache)
    let own = request.resolved(with: configuration, by: memory)!.originalKey
    try #require(!own.isStorable)
    #expect(cache.layers(for: own) == .memory && cache.layers(for: key) == .all)
    try await cache.store(entry, for: own, in: .all)
    #expect(try await cache.query(own, in: .shared) == nil)
    #expect(store.calls.isEmpty)
  }

  @Test func theServersDateSaysWhatIsOlder() {
    func record(_ date: String?, received: Double) -> CacheRecord {
      var record = CacheRecord.sample()
      let time = Date(timeIntervalSince1970: received)
      record.response = CacheRecord.Response(
        status: 200, headers: date.map { ["Date": $0] } ?? [:], requested: time, received: time)
      return record
    }
    let (early, late) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT")
    #expect(record(early, received: 2).isOlder(than: record(late, received: 1)))
    #expect(!record(late, received: 1).isOlder(than: record(early, received: 2)))
    #expect(record(early, received: 1).isOlder(than: record(early, received: 2)))
    #expect(record("nonsense", received: 1).isOlder(than: record(late, received: 2)))
    #expect(!record(nil, received: 1).isOlder(than: record(nil, received: 1)))
    #expect(CacheRecord(stored: Date(timeIntervalSince1970: 1), generation: 1).isOlder(than: .sample()))
  }
}
