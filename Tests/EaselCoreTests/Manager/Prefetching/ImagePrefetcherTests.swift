import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore

struct ImagePrefetcherTests {
  let studio = Studio()

  private func urls(_ count: Int) -> [URL] {
    (0..<count).map { studio.place(ToyPicture(width: 4, height: 4, seed: UInt64($0)), at: "http://host/\($0).toy") }
  }

  @Test func whatWasPrefetchedIsInMemory() async {
    let urls = urls(5)
    let batch = ImagePrefetcher(manager: studio.manager).prefetch(urls)
    #expect(await batch.outcome == PrefetchBatch.Outcome(finished: 5, skipped: 0))
    #expect(urls.allSatisfy { studio.manager.cachedImage(for: $0) != nil })
    #expect(studio.loader.callCount == 5)
  }

  @Test func anEmptyListIsDoneAtOnce() async {
    let batch = ImagePrefetcher(manager: studio.manager).prefetch([URL]())
    #expect(await batch.outcome == PrefetchBatch.Outcome(finished: 0, skipped: 0))
    for await _ in batch.items { Issue.record("An empty batch has no items.") }
    for await _ in batch.progress { Issue.record("An empty batch makes no progress.") }
  }

  @Test func aFailureCountsAsSkippedAndProgressCountsBoth() async {
    let good = urls(2)
    let bad = URL(string: "http://host/missing.toy")!
    let batch = ImagePrefetcher(manager: studio.manager).prefetch([good[0], bad, good[1]])
    var progress: [PrefetchBatch.Progress] = []
    for await step in batch.progress { progress.append(step) }
    #expect(progress.map(\.finished) == [1, 2, 3])
    #expect(progress.allSatisfy { $0.total == 3 })
    #expect(await batch.outcome == PrefetchBatch.Outcome(finished: 2, skipped: 1))
  }

  @Test func itemsSayWhatBecameOfEach() async {
    let good = urls(1)
    let bad = URL(string: "http://host/missing.toy")!
    let batch = ImagePrefetcher(manager: studio.manager).prefetch(good + [bad])
    var results: [Int: Bool] = [:]
    for await item in batch.items { results[item.index] = (try? item.result.get()) != nil }
    #expect(results == [0: true, 1: false])
  }

  @Test func noMoreThanItsConcurrencyRunAtOnceAndAllAreOfLowPriority() async {
    let urls = urls(6)
    for url in urls { studio.loader.suspend(url) }
    let batch = ImagePrefetcher(manager: studio.manager, concurrency: 2).prefetch(urls)
    for url in urls.prefix(2) { await studio.loader.waitUntilSuspended(url) }
    #expect(studio.loader.runningCount == 2)
    for url in urls { studio.loader.resume(url) }
    #expect(await batch.outcome.finished == 6)
    #expect(studio.loader.mostRunning <= 2)
    #expect(urls.allSatisfy { studio.loader.calls(for: $0).first?.priorities.first == .low })
  }

  @Test func aVisibleLoadThatJoinsRaisesThePrefetch() async throws {
    let url = urls(1)[0]
    studio.loader.suspend(url)
    let batch = ImagePrefetcher(manager: studio.manager).prefetch([url])
    await studio.loader.waitUntilSuspended(url)
    let visible = studio.manager.load(url, options: .highPriority)
    await studio.loader.waitForPriority(.high, of: url)
    studio.loader.resume(url)
    _ = try await visible.image
    #expect(await batch.outcome.finished == 1)
    #expect(studio.loader.callCount == 1)
  }

  @Test func cancellingABatchReachesWhatRunsAndWhatWaits() async {
    let urls = urls(5)
    for url in urls { studio.loader.suspend(url) }
    let prefetcher = ImagePrefetcher(manager: studio.manager, concurrency: 1)
    let batch = prefetcher.prefetch(Array(urls[..<4]))
    let other = prefetcher.prefetch([urls[4]])
    await studio.loader.waitUntilSuspended(urls[0])
    batch.cancel()
    #expect(await batch.outcome == PrefetchBatch.Outcome(finished: 0, skipped: 4))
    studio.loader.resume(urls[4])
    #expect(await other.outcome.finished == 1)
    #expect(urls[1..<4].allSatisfy { studio.loader.callCount(for: $0) == 0 })
  }

  @Test func cancellingAllEndsEveryBatch() async {
    let urls = urls(4)
    for url in urls { studio.loader.suspend(url) }
    let prefetcher = ImagePrefetcher(manager: studio.manager)
    let batches = urls.map { prefetcher.prefetch([$0]) }
    prefetcher.cancelAll()
    for batch in batches { #expect(await batch.outcome.skipped == 1) }
  }

  @Test func whilePausedNothingNewStarts() async {
    let urls = urls(3)
    studio.loader.suspend(urls[0])
    let prefetcher = ImagePrefetcher(manager: studio.manager, concurrency: 1)
    let batch = prefetcher.prefetch(urls)
    await studio.loader.waitUntilSuspended(urls[0])
    prefetcher.pause()
    studio.loader.resume(urls[0])
    var items = batch.items.makeAsyncIterator()
    #expect(await items.next()?.index == 0)
    #expect(studio.loader.callCount == 1)
    prefetcher.resume()
    #expect(await batch.outcome.finished == 3)
  }

  @Test(arguments: [CacheLayers.memory, .disk])
  func theDestinationMayBeOneLayer(layer: CacheLayers) async {
    let url = urls(1)[0]
    let batch = ImagePrefetcher(manager: studio.manager).prefetch([url], to: layer)
    _ = await batch.outcome
    await studio.settle()
    #expect(studio.memory.entries.isEmpty == (layer == .disk))
    #expect(studio.disk.entries.isEmpty == (layer == .memory))
  }

  @Test func itSharesTheManagersFilterTransformersAndKeys() async {
    let studio = Studio { configuration in
      configuration.cacheKeyFilter = .closure { $0.path }
      configuration.transformer = .custom(TaggingTransformer(1))
    }
    let url = studio.place(.small)
    _ = await ImagePrefetcher(manager: studio.manager).prefetch([url]).outcome
    #expect(studio.memory.entries.keys.map(\.readable) == ["/a-Tag(1).toy"])
    #expect(studio.manager.cachedImage(for: url) != nil)
  }
}
