import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselWorkers

/// A load cancelled at each stage ends at once with `cancelled`, exactly once, while the stage still hangs.
struct CancellationStageTests {
  let url = URL(string: "http://host/a.toy")!

  /// Cancels the load while it hangs and checks its result.
  private func giveUp(_ task: ImageTask, _ studio: Studio) async {
    let events = studio.events(of: task)
    task.cancel()
    await #expect { try await task.result } throws: { ($0 as? ImageError)?.code == .cancelled }
    task.cancel()
    _ = await events.value
    #expect(studio.observer.names.filter { $0 == "succeeded" || $0 == "failed" } == ["failed"])
    #expect(!studio.manager.isRunning)
  }

  @Test func inTheRequestModifier() async throws {
    let modifier = FakeRequestModifier(cacheIdentity: .plain)
    modifier.gate.close()
    let studio = Studio { $0.requestModifier = modifier }
    studio.place(.small)
    let task = studio.manager.load(url)
    await modifier.waitForCalls()
    await giveUp(task, studio)
    modifier.gate.open()
    #expect(studio.loader.callCount == 0)
  }

  @Test func aModifierThatIgnoresItStartsNoTransferAfterwards() async throws {
    let gate = Gate()
    let finished = AsyncGate()
    let studio = Studio {
      $0.requestModifier = .closure(cacheIdentity: .plain) { request in
        await withCheckedContinuation { continuation in
          WorkerSet.files.start(at: LoadPriority.Live()) {
            gate.pass()
            continuation.resume()
          }
        }
        finished.open()
        return request
      }
    }
    studio.place(.small)
    let task = studio.manager.load(url)
    await gate.waitForWaiters()
    await giveUp(task, studio)
    gate.open()
    try await finished.pass()
    // This second load of the same URL reaches the loader after any call that the first could have made.
    _ = try await studio.result(url)
    #expect(studio.loader.callCount == 1)
  }

  @Test(arguments: [FakeLoader.Point.start, .step(0), .step(1), .end])
  func inTheTransfer(_ point: FakeLoader.Point) async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url, at: point)
    let task = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url, at: point)
    await giveUp(task, studio)
    await studio.loader.waitForCancellation(of: url)
    #expect(studio.isAtRest)
    await studio.waitUntilNoRoomIsTaken()
  }

  @Test func inTheResponseModifier() async throws {
    let modifier = FakeResponseModifier(cacheIdentity: .plain)
    modifier.gate.close()
    let studio = Studio { $0.responseModifier = modifier }
    studio.place(.small)
    let task = studio.manager.load(url)
    await modifier.waitForCalls()
    await giveUp(task, studio)
    await studio.loader.waitForEnd(of: url)
  }

  @Test func inTheDecryptor() async throws {
    let key = XORDecryptor(key: 1)
    key.gate.close()
    let studio = Studio { $0.decryptor = key }
    studio.loader.script(url, .body(key.encrypt(ToyImage.small.bytes)))
    let task = studio.manager.load(url)
    await key.gate.waitForWaiters()
    await giveUp(task, studio)
  }

  @Test(arguments: [true, false]) func inTheDecoder(_ isProgressive: Bool) async throws {
    let studio = Studio(coder: ToyCoder(isProgressive: isProgressive))
    studio.place(.small)
    studio.coder.decodeGate.close()
    let task = studio.manager.load(url)
    await studio.coder.decodeGate.waitForWaiters()
    await giveUp(task, studio)
    studio.coder.decodeGate.open()
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func inATransformer() async throws {
    let studio = Studio()
    studio.place(.small)
    let tag = TaggingTransformer(1)
    tag.gate.close()
    let task = studio.manager.load(url, context: [.transformer(.custom(tag))])
    await tag.gate.waitForWaiters()
    await giveUp(task, studio)
    tag.gate.open()
    await studio.settle()
    #expect(studio.memory.entries.isEmpty)
  }

  @Test func inAStore() async throws {
    let cache = RecordingCache()
    cache.suspend(.store)
    let studio = Studio { $0.cache = cache }
    studio.place(.small)
    let task = studio.manager.load(url)
    await cache.waitUntilSuspended(.store)
    await giveUp(task, studio)
    cache.resume(.store)
    await studio.settle()
  }

  @Test func whileWaitingForTheStores() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.suspend(.store)
    let task = studio.manager.load(url, options: .waitStore)
    await studio.disk.waitUntilSuspended(.store)
    await giveUp(task, studio)
    studio.disk.resume(.store)
    await studio.settle()
    // A store that has begun is finished.
    #expect(studio.disk.entries.count == 1)
  }

  @Test func inACacheQuery() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.suspend(.query)
    let task = studio.manager.load(url)
    await studio.disk.waitUntilSuspended(.query)
    await giveUp(task, studio)
    studio.disk.resume(.query)
    #expect(studio.loader.callCount == 0)
  }

  @Test func whileFramesAreDecodedAhead() async throws {
    let studio = Studio()
    let frames = FakeFrameSource(durations: [.milliseconds(20), .milliseconds(20)])
    frames.gate.close()
    let image = Image(try Bitmap(size: PixelSize(width: 2, height: 2), format: .opaqueRGBA8), frames: frames)
    studio.loader.script(url, .image(image))
    let task = studio.manager.load(url, options: .preloadAllFrames)
    await frames.gate.waitForWaiters()
    await giveUp(task, studio)
    frames.gate.open()
  }

  @Test func whileWaitingForTheNextAttempt() async throws {
    let studio = Studio { $0.retryPolicy = FakeRetryPolicy(.retry(after: .seconds(60))) }
    studio.loader.script(url, .failure(ImageError(.network, "Lost.")))
    let task = studio.manager.load(url)
    await studio.clock.waitForSleepers()
    await giveUp(task, studio)
    #expect(studio.loader.callCount == 1)
  }

  @Test func theTaskThatAwaitsGivesUpToo() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    let task = Task { try await studio.manager.image(for: url) }
    await studio.loader.waitUntilSuspended(url)
    task.cancel()
    await #expect { try await task.value } throws: { ($0 as? ImageError)?.code == .cancelled }
    await studio.loader.waitForCancellation(of: url)
    #expect(studio.isAtRest)
  }

  @Test func oneCallerOfTwoLeavesTheOtherAlone() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    let leaving = studio.manager.load(url)
    let staying = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    leaving.cancel()
    await #expect { try await leaving.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    studio.loader.resume(url)
    #expect(try await staying.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(studio.loader.calls(for: url).allSatisfy { !$0.isCancelled || studio.loader.callCount == 2 })
  }

  @Test func cancelAllEndsEveryLoadThatRunsAndNoLaterOne() async throws {
    let studio = Studio()
    let other = studio.place(.small, at: "http://host/b.toy")
    studio.place(.small)
    for url in [url, other] { studio.loader.suspend(url) }
    #expect(!studio.manager.isRunning)
    let tasks = [url, other, url].map { studio.manager.load($0) }
    for url in [url, other] { await studio.loader.waitUntilSuspended(url) }
    await studio.observer.wait(for: "loading", count: 3)
    #expect(studio.manager.isRunning && studio.manager.runningCount == 3)
    studio.manager.cancelAll()
    for task in tasks {
      await #expect { try await task.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    }
    #expect(studio.manager.runningCount == 0)
    for url in [url, other] { studio.loader.resume(url) }
    _ = try await studio.result(url)
  }
}
