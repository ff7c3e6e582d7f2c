import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// A picture removed through the manager stays removed, even if loads or stores were in progress.
struct RemovingTests {
  private let studio = Studio()

  private func urls(_ count: Int) -> [URL] {
    (0..<count).map { studio.place(ToyImage(width: 4, height: 4, seed: UInt64($0)), at: "http://host/\($0).toy") }
  }

  private var isEmpty: Bool { studio.memory.entries.isEmpty && studio.disk.entries.isEmpty }

  @Test func storesThatWaitOrRunLeaveNothingAfterAClear() async throws {
    let urls = urls(20)
    studio.disk.suspend(.store)
    // The loads ask only memory, so that just the stores use the disk.
    for url in urls { _ = try await studio.result(url, [], [.queryLayers(.memory)]) }
    await studio.disk.waitUntilSuspended(.store)
    let clearing = Task { try await studio.manager.clearCache() }
    await studio.memory.wait(for: .clear)
    studio.disk.resume(.store)
    try await clearing.value
    await studio.settle()
    #expect(isEmpty)
  }

  @Test func picturesThatAreBeingWrittenForTheDiskLeaveNothingAfterARemoval() async throws {
    let url = urls(1)[0]
    let context: ImageContext = [.transformer(.custom(TaggingTransformer(1)))]
    studio.coder.encodeGate.close()
    _ = try await studio.result(url, [], context)
    await studio.coder.encodeGate.waitForWaiters()
    let removal = Task { try await studio.manager.removeCachedImage(for: url) }
    await studio.memory.wait(for: .remove(CacheKey(original: url.absoluteString)))
    studio.coder.encodeGate.open()
    try await removal.value
    await studio.settle()
    #expect(isEmpty)
  }

  @Test(arguments: 0..<60) func aLoadUnderWayDeliversAndLeavesNothing(seed: Int) async throws {
    let url = urls(1)[0]
    let point: FakeLoader.Point = [.start, .step(0), .step(1), .end][seed % 4]
    let context: ImageContext = seed % 3 == 0 ? [] : [.thumbnailSize(PixelSize(width: 2, height: 2))]
    studio.loader.suspend(url, at: point)
    let task = studio.manager.load(url, context: context)
    await studio.loader.waitUntilSuspended(url, at: point)
    if seed % 2 == 0 {
      try await studio.manager.clearCache()
    } else {
      try await studio.manager.removeCachedImage(for: ImageRequest(url: url))
    }
    studio.loader.resume(url, at: point)
    #expect(try await task.result.source == .network)
    await studio.settle()
    #expect(isEmpty)
    try await studio.warm(url, [], context)
    #expect(!studio.memory.entries.isEmpty && !studio.disk.entries.isEmpty, "What starts afterwards is stored.")
    await waitUntil { studio.manager.storeQueues.isEmpty }
  }

  @Test(arguments: [200, 304]) func aRefreshUnderWayLeavesNothing(status: Int) async throws {
    let url = urls(1)[0]
    let first = FakeLoader.Script.body(ToyImage.small.bytes, headers: ["ETag": "\"one\""])
    let second = status == 200 ? FakeLoader.Script.body(ToyImage.moving.bytes) : .notModified()
    studio.loader.script(url, first, second)
    try await studio.warm(url)
    studio.loader.suspend(url)
    let task = studio.manager.load(url, options: .refreshCached)
    await studio.loader.waitUntilSuspended(url)
    try await studio.manager.clearCache()
    studio.loader.resume(url)
    #expect(try await task.result.source == (status == 200 ? .network : .revalidated))
    await studio.settle()
    #expect(isEmpty)
  }

  @Test func aRefreshAsideLeavesNothing() async throws {
    let studio = Studio { $0.cachePolicy = .http }
    let url = studio.place(.small)
    let headers = HTTPHeaders.stale("stale-while-revalidate=60")
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers))
    try await studio.warm(url)
    studio.loader.suspend(url)
    _ = try await studio.result(url)
    await studio.loader.waitUntilSuspended(url)
    try await studio.manager.removeCachedImage(for: url)
    studio.loader.resume(url)
    await studio.loader.waitForEnd(of: url, call: 2)
    await studio.manager.close()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func bytesUnderWayLeaveNothing() async throws {
    let url = urls(1)[0]
    studio.loader.suspend(url, at: .end)
    let task = Task { try await studio.manager.bytes(for: ImageRequest(url: url)) }
    await studio.loader.waitUntilSuspended(url, at: .end)
    try await studio.manager.removeCachedImage(for: url)
    studio.loader.resume(url, at: .end)
    #expect(try await !task.value.isEmpty)
    await studio.settle()
    #expect(isEmpty)
  }

  @Test func aLoadThatStillLooksInTheCacheLeavesNothing() async throws {
    let url = urls(1)[0]
    studio.disk.suspend(.query)
    let task = studio.manager.load(url)
    await studio.disk.waitUntilSuspended(.query)
    try await studio.manager.clearCache()
    studio.disk.resume(.query)
    #expect(try await task.result.source == .network)
    await studio.settle()
    #expect(isEmpty)
  }

  @Test func whoComesAfterwardsIsNotAnsweredByWhatBeganBefore() async throws {
    let url = urls(1)[0]
    studio.loader.script(url, .body(ToyImage.small.bytes), .body(ToyImage.moving.bytes))
    studio.loader.suspend(url)
    let before = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    try await studio.manager.removeCachedImage(for: url)
    let after = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url, count: 2)
    studio.loader.resume(url)
    #expect(try await before.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(try await after.image.bitmap == ToyImage.moving.expectedBitmap())
    await studio.settle()
    #expect(try studio.manager.cachedImage(for: url)?.bitmap == ToyImage.moving.expectedBitmap())
    let stored = studio.disk.entries.values.first?.bytes
    #expect(try stored?.data() == Data(ToyImage.moving.bytes))
    #expect(studio.isAtRest)
  }

  @Test func aRemovalTakesTheOriginalAndAllThatWasMadeOfItAndNothingElse() async throws {
    let urls = urls(2)
    let contexts: [ImageContext] = [
      [], [.thumbnailSize(PixelSize(width: 2, height: 2))], [.transformer(.custom(TaggingTransformer(1)))],
    ]
    for url in urls {
      for context in contexts { try await studio.warm(url, [], context) }
    }
    let other = try await studio.warm(urls[0], [], [.headers(["Authorization": "other"])])
    try await studio.manager.removeCachedImage(for: ImageRequest(url: urls[0], context: contexts[1]))
    let left = Set(studio.memory.entries.keys).union(studio.disk.entries.keys)
    #expect(left.contains(other.key), "Another user's picture is another picture.")
    #expect(left.subtracting([other.key]).allSatisfy { $0.original == urls[1].absoluteString })
    #expect(left.count == 4)
  }

  @Test func entriesThatSomeoneElseStoredAreRemovedToo() async throws {
    let url = urls(1)[0]
    let key = CacheKey(original: url.absoluteString)
    let variant = CacheKey(original: url.absoluteString, suffixes: [CacheKey.Suffix("Flip(1,0)")])
    for generation in [UInt64(0), 1, 99] {
      for key in [key, variant] {
        studio.memory.seed(try .sample(record: .sample(generation: generation)), for: key)
        studio.disk.seed(try .sample(record: .sample(generation: generation)), for: key)
      }
      try await studio.manager.removeCachedImage(for: url)
      #expect(isEmpty)
    }
  }

  @Test func onlyTheLayersThatAreNamedAreCleared() async throws {
    let urls = urls(2)
    try await studio.warm(urls[0])
    studio.loader.suspend(urls[1])
    let task = studio.manager.load(urls[1])
    await studio.loader.waitUntilSuspended(urls[1])
    try await studio.manager.clearCache(.memory)
    studio.loader.resume(urls[1])
    _ = try await task.image
    await studio.settle()
    #expect(studio.memory.entries.isEmpty)
    #expect(studio.disk.entries.count == 2)
    try await studio.manager.removeCachedImage(for: urls[0], from: .disk)
    #expect(studio.disk.entries.count == 1)
  }

  @Test func memoryIsClearedThoughTheDiskIsSlow() async throws {
    let url = urls(1)[0]
    try await studio.warm(url)
    studio.disk.suspend(.clear)
    let clearing = Task { try await studio.manager.clearCache() }
    await studio.disk.waitUntilSuspended(.clear)
    #expect(studio.memory.entries.isEmpty)
    // The bytes on disk are delivered but not stored in memory again.
    #expect(try await studio.result(url).source == .disk)
    #expect(studio.memory.entries.isEmpty)
    studio.disk.resume(.clear)
    try await clearing.value
    #expect(isEmpty)
  }

  @Test func bothCachesAreClearedAlsoWhenOneFails() async throws {
    struct Failure: Error {}
    let pictures = RecordingCache("pictures")
    let originals = RecordingCache("originals")
    let studio = Studio {
      $0.cache = pictures
      $0.originalCache = originals
    }
    let url = studio.place(.small)
    let request = ImageRequest(
      url: url, options: .fromLoaderOnly, context: [.transformer(.custom(TaggingTransformer(1)))])
    for removesAll in [true, false] {
      _ = try await studio.manager.result(for: request)
      await studio.settle()
      #expect(!originals.entries(in: .disk).isEmpty)
      pictures.fail(removesAll ? .clear : .renew, with: Failure())
      await #expect {
        if removesAll {
          try await studio.manager.clearCache()
        } else {
          try await studio.manager.removeCachedImage(for: request)
        }
      } throws: { error in
        (error as? ImageError)?.code == .cacheFailed && (error as? ImageError)?.underlyingError is Failure
      }
      #expect(originals.entries(in: .disk).isEmpty)
      pictures.fail(removesAll ? .clear : .renew, with: nil)
    }
  }

  @Test func withoutAURLThereIsNothingToRemove() async {
    await #expect { try await studio.manager.removeCachedImage(for: nil) } throws: {
      ($0 as? ImageError)?.code == .invalidURL
    }
  }
}
