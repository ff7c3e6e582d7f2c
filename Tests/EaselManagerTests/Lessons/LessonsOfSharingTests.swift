import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Bugs that other libraries shipped: several callers, cancellations or callbacks at the same time.
struct LessonsOfSharingTests {
  @Test func aTaskThatFinishesSynchronouslyLeavesNothingBehind() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    _ = try await studio.manager.image(for: url)
    await studio.settle()
    for _ in 0..<20 {
      _ = try await studio.manager.load(url).image
      _ = try? await studio.manager.load(nil as URL?).image
      _ = try? await studio.manager.load(url, options: .fromCacheOnly, context: [.queryLayers([])]).image
      #expect(studio.isAtRest)
    }
    // The turn of a load ends with its run, which may be a moment after its answer.
    await waitUntil { studio.manager.storeQueues.isEmpty }
  }

  @Test func nothingIsToldBeforeTheStartOrAfterTheEnd() async throws {
    for round in 0..<repetitions(400, inDebug: 60) {
      let studio = Studio()
      let url = studio.place(.small, chunkSize: 30)
      if round % 3 == 0 { studio.loader.script(url, .status(404)) }
      let tasks = (0..<4).map { _ in studio.manager.load(url, options: .progressive) }
      for _ in 0..<round % 17 { await Task.yield() }
      tasks[round % 4].cancel()
      for task in tasks { _ = try? await task.result }
      await studio.settle()
      let stores = ["stored", "cacheFailed"]
      for events in Dictionary(grouping: studio.observer.events, by: \.load).values {
        let names = events.map(\.kind.name)
        let told = names.filter { !stores.contains($0) }
        #expect(names.first == "started")
        #expect(told.last == "succeeded" || told.last == "failed")
        #expect(names.count { $0 == "started" || $0 == "succeeded" || $0 == "failed" } == 2)
      }
    }
  }

  @Test func aPreviewIsNeitherStoredNorDeliveredAfterTheEnd() async throws {
    let studio = Studio()
    let url = studio.place(.small, chunkSize: 60)
    studio.coder.previewGate.close()
    studio.loader.suspend(url, at: .step(3))
    let task = studio.manager.load(url, options: .progressive)
    let events = task.events
    await studio.coder.previewGate.waitForWaiters()
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    studio.coder.previewGate.open()
    for await event in events {
      if case .preview = event { Issue.record("A preview came after the load was given up.") }
    }
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func aLateResponseNeverOverwritesANewerEntry() async throws {
    let studio = Studio()
    let url = URL(string: "http://host/a.toy")!
    let old = ToyImage(width: 8, height: 6, seed: 1)
    let new = ToyImage(width: 8, height: 6, seed: 2)
    studio.loader.script(url, .body(old.bytes, chunkSize: 40), .body(new.bytes))
    studio.loader.suspend(url, at: .step(3))
    let late = studio.manager.load(url, options: .fromLoaderOnly, context: [.retryPolicy(FakeRetryPolicy())])
    await studio.loader.waitUntilSuspended(url, at: .step(3))
    _ = try await studio.manager.image(for: url, options: [.fromLoaderOnly, .waitStore])
    studio.loader.resume(url, at: .step(3))
    #expect(try await late.image.bitmap == old.expectedBitmap())
    await studio.settle()
    #expect(try studio.manager.cachedImage(for: url)?.bitmap == new.expectedBitmap())
    let key = CacheKey(original: url.absoluteString)
    #expect(try studio.disk.entries[key]?.bytes?.data() == new.imageBytes.data())
  }

  @Test func aLateFinishedPictureNeverOverwritesANewerOne() async throws {
    let studio = Studio()
    let url = URL(string: "http://host/a.toy")!
    let old = try Image(ToyImage(width: 8, height: 6, seed: 1).expectedBitmap())
    let new = try Image(ToyImage(width: 8, height: 6, seed: 2).expectedBitmap())
    studio.loader.script(
      url, FakeLoader.Script([.head(ResponseHead(status: 200))], end: .result(.image(old))), .image(new))
    studio.loader.suspend(url, at: .step(0))
    let late = studio.manager.load(url, options: .fromLoaderOnly, context: [.retryPolicy(FakeRetryPolicy())])
    await studio.loader.waitUntilSuspended(url, at: .step(0))
    // A newer turn is kept as long as an older one is in progress.
    let newest = try await studio.manager.result(
      for: ImageRequest(url: url, options: [.fromLoaderOnly, .waitStore]))
    let stored = studio.disk.entries[newest.key]
    studio.loader.resume(url, at: .step(0))
    #expect(try await late.image.bitmap == old.bitmap)
    await studio.settle()
    #expect(studio.manager.cachedImage(for: url)?.bitmap == new.bitmap)
    #expect(stored != nil && studio.disk.entries[newest.key]?.record == stored?.record)
  }

  @Test func aModifierAwaitedWhileTheCallerCancelsStartsNoTransfer() async throws {
    let modifier = FakeRequestModifier(cacheIdentity: .named("token"))
    modifier.gate.close()
    let studio = Studio { $0.requestModifier = modifier }
    let url = studio.place(.small)
    let task = studio.manager.load(url)
    await modifier.waitForCalls()
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    modifier.gate.open()
    #expect(studio.isAtRest)
    #expect(studio.loader.callCount == 0)
  }

  @Test func aChangeOfPriorityNeverOvertakesALaterOne() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url)
    let task = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    let wanted = (0..<100).map { LoadPriority(rawValue: $0 * 7 % 5)! }
    for priority in wanted { task.priority = priority }
    #expect(studio.loader.calls(for: url)[0].priorities == [.normal] + wanted)
    studio.loader.resume(url)
    _ = try await task.image
  }

  @Test func aThumbnailAskedForWhileTheFullSizeIsDecodedStartsNoSecondTransfer() async throws {
    let studio = Studio { $0.workers = .patient(threads: 2) }
    let url = studio.place(.small)
    studio.coder.decodeGate.close()
    let full = Task.started { try await studio.manager.image(for: url) }
    await studio.coder.decodeGate.waitForWaiters()
    let context: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
    let small = Task.started { try await studio.manager.image(for: url, context: context) }
    await studio.coder.decodeGate.waitForWaiters(count: 2)
    studio.coder.decodeGate.open()
    #expect(try await full.value.size == PixelSize(width: 8, height: 6))
    #expect(try await small.value.size == PixelSize(width: 4, height: 3))
    #expect(studio.loader.callCount == 1)
  }

  @Test func cancellingDuringALookupAnswersOnceAndStartsNothing() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.disk.suspend(.query)
    let completions = Watched<[ImageError.Code?]>([])
    let task = studio.manager.load(ImageRequest(url: url)) { result in
      completions.withLock { codes in
        if case .failure(let error) = result { codes.append(error.code) } else { codes.append(nil) }
      }
    }
    await studio.disk.waitUntilSuspended(.query)
    task.cancel()
    await completions.wait { !$0.isEmpty }
    studio.disk.resume(.query)
    await studio.settle()
    #expect(completions.withLock { $0 } == [.cancelled])
    #expect(studio.loader.callCount == 0)
  }

  @Test func cancelReachesTheDecoder() async throws {
    let studio = Studio { $0.workers = .patient(threads: 1) }
    let url = studio.place(.small)
    studio.coder.decodeGate.close()
    let task = studio.manager.load(url)
    await studio.coder.decodeGate.waitForWaiters()
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    // The only thread is free again although the gate stays closed: the decoder was told to stop.
    let free: Bool = try await studio.manager.configuration.workers.run { true }
    #expect(free)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func aRefusedResponseCompletesEachCallOnce() async throws {
    let studio = Studio()
    let url = URL(string: "http://host/a.toy")!
    studio.loader.script(url, .status(404))
    let codes = Watched<[ImageError.Code]>([])
    for _ in 0..<11 {
      studio.manager.load(ImageRequest(url: url)) { result in
        if case .failure(let error) = result { codes.withLock { $0.append(error.code) } }
      }
    }
    await codes.wait { $0.count >= 11 }
    await studio.settle()
    #expect(codes.withLock { $0 } == Array(repeating: .badStatus, count: 11))
  }

  @Test func everyPlaceThatFailedIsKeptAsACause() async throws {
    let studio = Studio()
    let urls = (0..<3).map { URL(string: "http://host/\($0)")! }
    studio.loader.script(urls[0], .status(500))
    studio.loader.script(urls[1], .failure(ImageError(.timedOut, "Too slow.")))
    studio.loader.script(urls[2], .body([1, 2, 3]))
    var request = ImageRequest(url: urls[0])
    request.fallbackURLs = [urls[1], urls[2]]
    await #expect { try await studio.manager.image(for: request) } throws: { error in
      let codes = (error as? ImageError)?.causes.compactMap { ($0 as? ImageError)?.code }
      return (error as? ImageError)?.code == .badStatus && codes == [.badStatus, .timedOut, .unsupportedFormat]
    }
  }

  @Test func aStoreThatFailsAfterDeliveryIsReported() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.disk.fail(.store, with: ImageError(.cacheFailed, "The disk is full."))
    studio.disk.suspend(.store)
    _ = try await studio.manager.image(for: url)
    studio.disk.resume(.store)
    await studio.settle()
    #expect(studio.observer.names.contains("cacheFailed"))
  }

  private final class Meddler: ImageObserver {
    let manager = Locked<ImageManager?>(nil)
    let count = Locked(0)

    func meddle(_ url: URL) {
      guard let manager = manager.withLock({ $0 }) else { return }
      count.withLock { $0 += 1 }
      _ = manager.runningCount
      _ = manager.cachedImage(for: url)
      manager.removeFailedURL(ImageRequest(url: url))
      manager.load(URL(string: "http://host/other")).cancel()
    }

    func observe(_ event: ImageEvent) {
      // A load that the observer itself starts is observed too.
      if event.key?.original.hasSuffix("a.toy") == true { meddle(URL(string: "http://host/a.toy")!) }
    }
  }

  @Test func callbacksMayComeBackIntoTheManager() async throws {
    let meddler = Meddler()
    let url = URL(string: "http://host/a.toy")!
    let studio = Studio { configuration in
      configuration.observer = meddler
      configuration.shouldLoad = { url in
        if url.path.hasSuffix("a.toy") { meddler.meddle(url) }
        return true
      }
      configuration.shouldBlock = { url, _ in
        meddler.meddle(url)
        return nil
      }
      configuration.requestModifier = FakeRequestModifier(cacheIdentity: .named("m")) { request in
        meddler.meddle(url)
        return request
      }
    }
    studio.place(.small)
    meddler.manager.withLock { $0 = studio.manager }
    _ = try await studio.manager.image(for: url)
    studio.loader.script(url, .status(404))
    _ = try? await studio.manager.image(for: url, options: .fromLoaderOnly)
    #expect(meddler.count.withLock { $0 } > 8)
    meddler.manager.withLock { $0 = nil }
  }
}
