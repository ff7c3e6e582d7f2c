import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers
@testable import EaselWorkers

/// A cache or disk store that hangs counts as a miss, is reported, and delays no other load.
struct HangingCacheTests {
  private let clock = ManualClock()
  private let disk = RecordingDiskStore()
  private let url = URL(string: "http://host/a.toy")!

  private func studio(threads: Int = 4) -> Studio {
    let cache = TieredCache(
      memory: RecordingMemoryStore(), disk: disk, workers: WorkerSet(threads: threads, clock: clock))
    let studio = Studio {
      $0.clock = clock
      $0.cache = cache
    }
    studio.place(.small)
    return studio
  }

  private var queryCount: Int {
    disk.calls.count { if case .query = $0 { true } else { false } }
  }

  private func cache(of studio: Studio) -> TieredCache { studio.manager.configuration.cache as! TieredCache }

  @Test func aLookupThatHangsIsAMissThatIsReported() async throws {
    let studio = studio()
    disk.suspend(.query)
    let load = studio.manager.load(url)
    await disk.waitUntilSuspended(.query)
    await clock.waitForSleepers()
    #expect(clock.remainingSleeps == [.seconds(6)])
    clock.advance(by: .seconds(6))
    #expect(try await load.image.bitmap == ToyImage.small.expectedBitmap())
    let failures = studio.observer.events.compactMap { event -> ImageError? in
      if case .cacheFailed(let error) = event.kind { error } else { nil }
    }
    #expect(failures.map(\.code) == [.cacheFailed])
    #expect(failures.first?.message.contains("did not answer within 5.0 seconds") == true)
    #expect(cache(of: studio).hangingCallCount == 1)
    disk.resume(.query)
    await waitUntil { self.cache(of: studio).hangingCallCount == 0 }
  }

  @Test func aStoreThatHangsAgainAndAgainIsPassedOverUntilItReturns() async throws {
    let studio = studio(threads: 1)
    disk.suspend(.query)
    let urls = (0..<6).map { studio.place(.small, at: "http://host/\($0).toy") }
    for url in urls.prefix(2) {
      let load = studio.manager.load(url, context: [.storeLayers(.memory)])
      await disk.waitUntilSuspended(.query, count: url == urls[0] ? 1 : 2)
      await clock.waitForSleepers()
      clock.advance(by: .seconds(6))
      _ = try await load.image
    }
    // These loads end without moving the clock.
    for url in urls.dropFirst(2) {
      _ = try await studio.manager.image(for: url, context: [.storeLayers(.memory)])
    }
    #expect(queryCount == 2)
    disk.resume(.query)
    await waitUntil { self.cache(of: studio).hangingCallCount == 0 }
    _ = try await studio.manager.image(for: self.url, context: [.storeLayers(.memory)])
    #expect(queryCount == 3)
  }

  @Test func lookupsThatWaitForAThreadPassOverAStoreThatCameToHang() async throws {
    let studio = studio(threads: 1)
    disk.suspend(.query)
    let urls = (0..<6).map { studio.place(.small, at: "http://host/\($0).toy") }
    let loads = urls.map { studio.manager.load($0, context: [.storeLayers(.memory)]) }
    for count in 1...2 {
      await disk.waitUntilSuspended(.query, count: count)
      await clock.waitForSleepers()
      clock.advance(by: .seconds(6))
    }
    await waitUntil { queryCount > 2 || loads.allSatisfy(\.isFinished) }
    #expect(queryCount == 2)
    disk.resume(.query)
    for load in loads { _ = try await load.image }
  }

  @Test func anotherStoreIsHeldByNoneThatHangs() async throws {
    let workers = WorkerSet(threads: 1, clock: clock)
    let hanging = TieredCache(memory: nil, disk: disk, workers: workers)
    let good = TieredCache(memory: nil, disk: RecordingDiskStore(), workers: workers)
    let key = CacheKey(original: "picture")
    disk.suspend(.query)
    let lookup = Task { try await hanging.query(key, in: .disk) }
    await disk.waitUntilSuspended(.query)
    let other = Task.started { try await good.query(key, in: .disk) == nil }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(6))
    #expect(try await other.value)
    await #expect { try await lookup.value } throws: { ($0 as? ImageError)?.code == .cacheFailed }
    disk.resume(.query)
  }

  @Test func whatIsWrittenTooLateIsTakenOutAgain() async throws {
    let studio = studio()
    let key = CacheKey(original: "picture")
    disk.suspend(.store)
    let store = Task { [cache = cache(of: studio)] in try await cache.store(.sample(), for: key, in: .disk) }
    await disk.waitUntilSuspended(.store)
    await clock.waitForSleepers()
    #expect(clock.remainingSleeps == [.seconds(31)])
    clock.advance(by: .seconds(31))
    await #expect { try await store.value } throws: { ($0 as? ImageError)?.code == .cacheFailed }
    disk.resume(.store)
    await disk.wait(for: .remove(key))
    await waitUntil { disk.entries.isEmpty }
  }

  // MARK: Caches that are no stores

  @Test func aCacheThatNeverAnswersAQueryIsAMiss() async throws {
    let cache = RecordingCache()
    let studio = Studio {
      $0.clock = clock
      $0.cache = cache
    }
    studio.place(.small)
    cache.suspend(.query)
    let load = studio.manager.load(url)
    await cache.waitUntilSuspended(.query)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    _ = try await load.image
    #expect(studio.observer.names.contains("cacheFailed"))
    await studio.settle()
  }

  @Test func aCacheThatNeverKeepsAnythingHoldsNoLoad() async throws {
    let cache = RecordingCache()
    let studio = Studio {
      $0.clock = clock
      $0.cache = cache
    }
    studio.place(.small)
    cache.suspend(.store)
    cache.suspend(.renew)
    let load = studio.manager.load(url)
    let isDone = Locked(false)
    let driver = Task { [clock] in
      while !isDone.withLock({ $0 }) {
        clock.advanceToNextDeadline()
        await Task.yield()
      }
    }
    _ = try await load.image
    await studio.settle()
    isDone.withLock { $0 = true }
    await driver.value
    #expect(studio.observer.names.contains("cacheFailed"))
    #expect(studio.isAtRest)
  }

  @Test func aCacheThatNeverRemovesAnythingFailsThatAndIsFilledAgain() async throws {
    let cache = RecordingCache()
    let studio = Studio {
      $0.clock = clock
      $0.cache = cache
    }
    studio.place(.small)
    cache.suspend(.clear)
    let removal = Task { try await studio.manager.clearCache(.memory) }
    await cache.waitUntilSuspended(.clear)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(300))
    await #expect { try await removal.value } throws: { ($0 as? ImageError)?.code == .cacheFailed }
    _ = try await studio.manager.image(for: url)
    await studio.settle()
    #expect(cache.entries(in: .memory).count == 1)
  }
}
