import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselTiers

/// Several shared stores as one: each entry has its place, and one store that fails does not hide the others.
struct SharedStoreGroupTests {
  private struct Failure: Error {}

  private let clock = ManualClock()
  private let front = InMemorySharedStore()
  private let back = InMemorySharedStore()
  private let original = CacheKey(original: "picture")
  private let variant = CacheKey(original: "picture", suffixes: [CacheKey.Suffix("Encode(png,80)", origin: .encoding)])
  private let events = Watched<[String]>([])

  private func group() -> SharedStoreGroup {
    var first = SharedStoreGroup.Member(front)
    first.largestBody = 1000
    first.takesOriginals = false
    let observer: @Sendable (TieredCache.SharedStoreEvent) -> Void = { [events] event in
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
    return SharedStoreGroup([first, SharedStoreGroup.Member(back)], observer: observer, clock: clock)
  }

  private func entry(_ count: Int, generation: UInt64 = 7, at second: Double = 0) -> CacheEntry {
    CacheEntry(
      bytes: ImageBytes([UInt8](repeating: 1, count: count)),
      record: CacheRecord(stored: Date(timeIntervalSince1970: 1e9 + second), generation: generation))
  }

  private func bytes(_ store: any SharedStore, _ key: CacheKey) async throws -> Int? {
    try await store.entry(for: key)?.bytes?.count
  }

  @Test(arguments: [(false, 1000), (true, 1000), (true, 1 << 30)])
  func aGroupIsAStore(takesOriginals: Bool, largestBody: Int) async {
    @Sendable func group(_ stores: [InMemorySharedStore]) -> SharedStoreGroup {
      var front = SharedStoreGroup.Member(stores[0])
      (front.takesOriginals, front.largestBody) = (takesOriginals, largestBody)
      var back = SharedStoreGroup.Member(stores[1])
      for path in [\TieredCache.SharedStoreSettings.answerTime, \.originalAnswerTime, \.storeTime] {
        (front.settings[keyPath: path], back.settings[keyPath: path]) = (.seconds(60), .seconds(60))
      }
      return SharedStoreGroup([front, back])
    }
    let stores = Locked<[InMemorySharedStore]>([])
    let contract = SharedStoreContract(connect: { _ in group(stores.withLock { $0 }) }) {
      let new = [InMemorySharedStore(), InMemorySharedStore()]
      stores.withLock { $0 = new }
      return group(new)
    }
    #expect(await contract.check() == [])
  }

  @Test func eachEntryGoesToTheFirstStoreThatTakesIt() async throws {
    let group = group()
    try await group.store(entry(500), for: variant)
    #expect(front.entries[variant] != nil && back.entries[variant] == nil)
    try await group.store(entry(100), for: original)
    #expect(front.entries[original] == nil && back.entries[original] != nil)
    // A larger result under the same key takes the place of the smaller one.
    try await group.store(entry(5000, at: 1), for: variant)
    #expect(front.entries[variant] == nil && back.entries[variant] != nil)
    #expect(try await bytes(group, variant) == 5000)
    #expect(try await bytes(group, original) == 100)
    #expect(try await group.contains(variant))
    #expect(try await group.contains(original))
    try await group.remove(variant)
    #expect(try await bytes(group, variant) == nil)
    #expect(events.withLock { $0 } == ["hit", "hit", "miss"])
    try await group.removeAll()
    #expect(front.entries.isEmpty && back.entries.isEmpty)
  }

  /// A store may know nothing of an original whose newer bytes another one has.
  @Test func olderBytesAreRefusedByEveryStore() async throws {
    let group = group()
    try await group.store(entry(100, generation: 2, at: 10), for: original)
    try await group.store(entry(100, generation: 1), for: variant)
    #expect(try await bytes(group, variant) == nil)
    try await group.store(entry(200, generation: 3, at: 20), for: variant)
    #expect(try await bytes(group, original) == nil)
    try await group.store(entry(5000, generation: 2, at: 10), for: variant)
    #expect(try await bytes(group, variant) == 200)
  }

  @Test func aStoreIsToldOnceOfNewerBytes() async throws {
    let group = group()
    for number in 0..<5 {
      let key = CacheKey(original: "picture", suffixes: [CacheKey.Suffix("Encode(\(number))", origin: .encoding)])
      try await group.store(entry(10), for: key)
    }
    #expect(back.calls.count == 1)
    try await group.store(entry(10, generation: 8, at: 1), for: variant)
    #expect(back.calls.count == 2)
    // Another machine removes everything, and older bytes come late.
    try await front.removeAll()
    try await back.removeAll()
    clock.advance(by: .seconds(5))
    try await group.store(entry(10, generation: 8, at: 1), for: variant)
    try await group.store(entry(5000, generation: 7), for: original)
    #expect(try await bytes(group, original) == nil)
  }

  @Test func aStoreThatFailsDoesNotHideTheOthers() async throws {
    let group = group()
    try await group.store(entry(5000), for: variant)
    front.failEverything(with: Failure())
    // A load that has met the failure goes on without the group, so that it does not wait twice.
    for _ in 0..<5 { await #expect(throws: ImageError.self) { try await group.entry(for: variant) } }
    #expect(group.counts.map(\.isOpen) == [true, false])
    #expect(try await bytes(group, variant) == 5000)
    #expect(try await bytes(group, CacheKey(original: "other", suffixes: variant.suffixes)) == nil)
    back.failEverything(with: Failure())
    for _ in 0..<5 { await #expect(throws: ImageError.self) { try await group.entry(for: variant) } }
    let refused = await #expect(throws: ImageError.self) { try await group.entry(for: variant) }
    #expect(refused?.sharedStoreTrouble == .passedOver)
    front.failEverything(with: nil)
    back.failEverything(with: nil)
    clock.advance(by: .seconds(5))
    // Each is tried by a call for which nobody waits.
    await #expect(throws: ImageError.self) { try await group.entry(for: variant) }
    await events.wait { $0.suffix(2) == ["closed", "closed"] }
    #expect(try await bytes(group, variant) == 5000)
    #expect(group.counts.map(\.isOpen) == [false, false])
    let expected =
      Array(repeating: "failed", count: 5) + ["opened", "hit", "miss"] + Array(repeating: "failed", count: 5)
      + ["opened", "closed", "closed", "hit"]
    #expect(events.withLock { $0 } == expected)
  }

  @Test func aStoreThatHangsCostsItsOwnTimeOnly() async throws {
    let group = group()
    front.suspend(.query)
    let lookup = Task { try await group.entry(for: variant) }
    await front.waitUntilSuspended(.query)
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(100))
    await #expect(throws: ImageError.self) { try await lookup.value }
    #expect(back.calls.isEmpty)
    front.resume(.query)
  }

  @Test func nobodyIsAskedForAClaimWhileItsEngineIsLeftAlone() async throws {
    let group = group()
    let coordinator = InMemoryCoordinator(store: group)
    let guarded = group.guarding(coordinator.node(), withStoreAt: 0)
    let key = FlightKey(.variant, variant)
    guard case .yours(let claim) = await guarded.claim(key, within: .seconds(1)) else {
      Issue.record("The claim was not granted.")
      return
    }
    await claim.end(.abandoned)
    front.failEverything(with: Failure())
    for _ in 0..<5 { await #expect(throws: ImageError.self) { try await group.entry(for: variant) } }
    guard case .goAhead = await guarded.claim(key, within: .seconds(1)) else {
      Issue.record("Somebody was asked.")
      return
    }
    #expect(coordinator.grants == [key: 1])
  }

  @Test func whatAnotherStoreHasIsNotMadeAgain() async throws {
    let group = group()
    let coordinator = InMemoryCoordinator(store: group)
    try await group.store(entry(100), for: original)
    let answer = await group.guarding(coordinator.node(), withStoreAt: 0)
      .claim(FlightKey(.transfer, original), within: .seconds(1))
    guard case .ready(let found) = answer else {
      Issue.record("The original was not found.")
      return
    }
    #expect(found.bytes?.count == 100 && coordinator.heldCount == 0)
  }

  @Test func aGroupUnderACacheKeepsItsOwnPatience() async throws {
    let group = group()
    let cache = TieredCache(memory: nil, disk: nil, shared: group, clock: clock, workers: .patient())
    try await cache.store(entry(5000), for: variant, in: .shared)
    front.failEverything(with: Failure())
    for _ in 0..<5 { await #expect(throws: ImageError.self) { try await cache.query(variant, in: .all) } }
    #expect(try await cache.query(variant, in: .all)?.layer == .shared)
    #expect(cache.sharedCounts == TieredCache.SharedStoreCounts() && group.counts[0].openings == 1)
  }
}
