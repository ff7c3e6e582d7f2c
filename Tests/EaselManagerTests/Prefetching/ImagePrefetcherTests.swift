import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

private struct WeakReference<Object: AnyObject> {
  weak var object: Object?
  init(_ object: Object?) { self.object = object }
}

struct ImagePrefetcherTests {
  let studio = Studio()

  private func urls(_ count: Int) -> [URL] {
    (0..<count).map { studio.place(ToyImage(width: 4, height: 4, seed: UInt64($0)), at: "http://host/\($0).toy") }
  }

  @Test func whatWasPrefetchedIsInMemory() async {
    let urls = urls(5)
    let batch = ImagePrefetcher(manager: studio.manager).prefetch(urls)
    #expect(await batch.outcome == ImagePrefetcher.Batch.Outcome(finished: 5, skipped: 0))
    #expect(urls.allSatisfy { studio.manager.cachedImage(for: $0) != nil })
    #expect(studio.loader.callCount == 5)
  }

  @Test func anEmptyListIsDoneAtOnce() async {
    let batch = ImagePrefetcher(manager: studio.manager).prefetch([URL]())
    #expect(await batch.outcome == ImagePrefetcher.Batch.Outcome(finished: 0, skipped: 0))
    for await _ in batch.items { Issue.record("An empty batch has no items.") }
    for await _ in batch.progress { Issue.record("An empty batch makes no progress.") }
  }

  @Test func aFailureCountsAsSkippedAndProgressCountsBoth() async {
    let good = urls(2)
    let bad = URL(string: "http://host/missing.toy")!
    let batch = ImagePrefetcher(manager: studio.manager).prefetch([good[0], bad, good[1]])
    var progress: [ImagePrefetcher.Batch.Progress] = []
    for await step in batch.progress { progress.append(step) }
    let counts = progress.map(\.finished)
    #expect(counts == counts.sorted() && Set(counts).count == counts.count && counts.last == 3)
    #expect(progress.allSatisfy { $0.total == 3 })
    #expect(await batch.outcome == ImagePrefetcher.Batch.Outcome(finished: 2, skipped: 1))
  }

  @Test func itemsSayWhatBecameOfEach() async {
    let good = urls(1)
    let bad = URL(string: "http://host/missing.toy")!
    let batch = ImagePrefetcher(manager: studio.manager).prefetch(good + [bad])
    var items: [Int: ImagePrefetcher.Batch.Item] = [:]
    for await item in batch.items { items[item.index] = item }
    #expect(items.count == 2)
    #expect(items[0]?.request.url == good[0] && items[1]?.request.url == bad)
    #expect(items[0]?.key == studio.manager.cacheKey(for: ImageRequest(url: good[0])))
    #expect(items[0]?.source == .network && items[0]?.error == nil)
    #expect(items[0]?.size == PixelSize(width: 4, height: 4) && items[0]?.format == ToyImage.format)
    #expect(items[1]?.error?.code == .network)
    #expect(items[1]?.key == nil && items[1]?.source == nil && items[1]?.size == nil && items[1]?.format == nil)
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
    #expect(await batch.outcome == ImagePrefetcher.Batch.Outcome(finished: 0, skipped: 4))
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

  @Test func whoReadsLateOrTwiceIsToldOfEveryItem() async {
    let batch = ImagePrefetcher(manager: studio.manager, concurrency: 1).prefetch(urls(4))
    _ = await batch.outcome
    for _ in 0..<2 {
      #expect(await batch.items.reduce(into: []) { $0.append($1.index) } == [0, 1, 2, 3])
      #expect(
        await batch.progress.reduce(into: []) { $0.append($1) } == [
          ImagePrefetcher.Batch.Progress(finished: 4, total: 4)
        ])
    }
  }

  @Test func aReaderOfProgressThatIsSlowIsToldTheNewest() async {
    let urls = urls(6)
    studio.loader.suspend(urls[5])
    let batch = ImagePrefetcher(manager: studio.manager, concurrency: 1).prefetch(urls)
    var steps = batch.progress.makeAsyncIterator()
    await studio.loader.waitUntilSuspended(urls[5])
    #expect(await steps.next()?.finished == 5)
    studio.loader.resume(urls[5])
    #expect(await steps.next()?.finished == 6)
    #expect(await steps.next() == nil)
  }

  @Test func aReaderThatGivesUpHarmsNobody() async {
    let urls = urls(2)
    studio.loader.suspend(urls[1])
    let batch = ImagePrefetcher(manager: studio.manager, concurrency: 1).prefetch(urls)
    let reader = Task { await batch.items.reduce(into: 0) { count, _ in count += 1 } }
    await studio.loader.waitUntilSuspended(urls[1])
    reader.cancel()
    #expect(await reader.value <= 1)
    studio.loader.resume(urls[1])
    #expect(await batch.outcome.finished == 2)
    #expect(await batch.items.reduce(into: 0) { count, _ in count += 1 } == 2)
  }

  @Test func whenTheBatchIsOverNothingOfItChangesAnyMore() async {
    let urls = urls(3)
    let prefetcher = ImagePrefetcher(manager: studio.manager)
    let batch = prefetcher.prefetch(urls)
    let outcome = await batch.outcome
    prefetcher.pause()
    batch.cancel()
    prefetcher.cancelAll()
    prefetcher.resume()
    #expect(await batch.outcome == outcome)
    #expect(await batch.items.reduce(into: 0) { count, _ in count += 1 } == 3)
    #expect(await prefetcher.prefetch(urls).outcome.finished == 3)
  }

  @Test func aLoadThatHasEndedIsNotKept() async throws {
    let batch = ImagePrefetcher.Batch([ImageRequest(url: studio.place(.small)), ImageRequest(url: nil)])
    let isKept = try await Self.end(firstOf: batch, in: studio)
    #expect(!isKept())
    withExtendedLifetime(batch) {}
  }

  /// Ends the first load of a batch; the closure says whether someone still has its task.
  private static func end(firstOf batch: ImagePrefetcher.Batch, in studio: Studio) async throws -> () -> Bool {
    let task = studio.manager.load(batch.request(at: 0))
    batch.add(task, at: 0)
    _ = batch.finish(0, .success(try await task.result))
    return { [weak task] in task != nil }
  }

  @Test func fallbacksArePrefetchedToo() async {
    let good = urls(1)[0]
    var request = ImageRequest("http://host/missing.toy")
    request.fallbackURLs = [good]
    let batch = ImagePrefetcher(manager: studio.manager).prefetch([request])
    #expect(await batch.outcome.finished == 1)
    #expect(await batch.items.first { _ in true }?.key?.original == good.absoluteString)
    #expect(studio.manager.cachedImage(for: good) != nil)
  }

  @Test func whatStillWaitsIsGivenUpWithThePrefetcher() async {
    var prefetcher: ImagePrefetcher? = ImagePrefetcher(manager: studio.manager)
    prefetcher?.pause()
    let batch = prefetcher?.prefetch(urls(3))
    prefetcher = nil
    #expect(await batch?.outcome == ImagePrefetcher.Batch.Outcome(finished: 0, skipped: 3))
  }

  @Test func anIdlePrefetcherKeepsNoBatch() async {
    let prefetcher = ImagePrefetcher(manager: studio.manager)
    var batch: ImagePrefetcher.Batch? = prefetcher.prefetch(urls(5))
    let kept = WeakReference(batch)
    _ = await batch?.outcome
    batch = nil
    // The last load lets go of its batch after it has said that it is done.
    while kept.object != nil { await Task.yield() }
  }
}
