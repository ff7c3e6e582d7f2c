import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselWorkers

/// A plug-in that never returns costs its load the time limit and the process one thread, nothing else.
struct HangingPluginTests {
  private let gate = Gate()

  private func studio(
    threads: Int = 1, coders: [any ImageCoder] = [], _ configure: (inout ImageManager.Configuration) -> Void = { _ in }
  ) -> Studio {
    Studio {
      $0.workers = WorkerSet(threads: threads, clock: $0.clock)
      $0.coder = CoderRegistry([ToyCoder()] + coders)
      configure(&$0)
    }
  }

  /// Moves the clock past the time limit of the hanging call.
  private func passTime(_ studio: Studio) async {
    await studio.clock.waitForSleepers()
    studio.clock.advance(by: .seconds(31))
  }

  /// Lets the hanging call return and waits until its thread has ended.
  private func release(_ studio: Studio) async {
    gate.open()
    await waitUntil { studio.manager.lostThreadCount == 0 }
  }

  @Test func aDecodeThatHangsFailsItsLoadAndNoOther() async throws {
    let studio = studio(coders: [Stuck.Coder(at: gate)])
    let url = studio.place(.small)
    let hanging = studio.manager.load(url)
    await gate.waitForWaiters()
    let other = studio.manager.load(
      studio.place(.small, at: "http://host/b.toy"), context: [.coder(ToyCoder(identifier: "good"))])
    await passTime(studio)
    let error = await #expect(throws: ImageError.self) { try await hanging.image }
    #expect(error?.code == .limitExceeded)
    #expect(error?.subject == url.absoluteString)
    #expect(
      error?.message
        == "The coder stuck did not return within 30.0 seconds, and its thread was abandoned. Fix or replace the plug-in "
        + "that hangs, or raise Limits.decodeTime if it needs more time.")
    _ = try await other.image
    #expect(studio.manager.lostThreadCount == 1)
    #expect(studio.observer.names.contains("threadLost"))
    // The URL is blocked because each attempt would cost a thread.
    #expect(await studio.failure(url)?.code == .blockedURL)
    await release(studio)
    await studio.settle()
    #expect(!studio.disk.entries.keys.contains { $0.original == url.absoluteString })
    #expect(studio.isAtRest)
  }

  @Test func aDecoderThatHangsWhileTheBodyArrivesFailsTheLoad() async throws {
    let studio = studio(coders: [Stuck.Coder(at: gate, whileLoading: true)])
    let url = studio.place(.small, chunkSize: 40)
    // The body must not end before the decoder begins, which would then decode it in one go.
    studio.loader.suspend(url, at: .step(3))
    let load = studio.manager.load(url, options: .progressive)
    let events = studio.events(of: load)
    await gate.waitForWaiters()
    studio.loader.resume(url, at: .step(3))
    await passTime(studio)
    let error = await #expect(throws: ImageError.self) { try await load.image }
    #expect(error?.code == .limitExceeded)
    await release(studio)
    #expect(await events.value.allSatisfy { $0.preview == nil })
    #expect(studio.isAtRest)
  }

  @Test func aTransformerThatHangsFailsItsLoadAndBlocksNoURL() async throws {
    let studio = studio()
    let url = studio.place(.small)
    let load = studio.manager.load(url, context: [.transformer(.custom(Stuck.Transformer(at: gate)))])
    await gate.waitForWaiters()
    await passTime(studio)
    let error = await #expect(throws: ImageError.self) { try await load.image }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.hasPrefix("The transformer Stuck(1) did not return within 30.0 seconds") == true)
    _ = try await studio.manager.image(for: url)
    await release(studio)
    await studio.settle()
    #expect(studio.manager.cachedImage(for: url, context: [.transformer(.custom(Stuck.Transformer(at: gate)))]) == nil)
  }

  @Test func aTransformerThatHangsOverAPreviewCostsOneThread() async throws {
    let studio = studio(threads: 2)
    let url = studio.place(ToyImage(width: 8, height: 40, seed: 1), chunkSize: 200)
    studio.loader.suspend(url, at: .step(3))
    let load = studio.manager.load(
      url, options: .progressive, context: [.transformer(.custom(Stuck.Transformer(at: gate)))])
    await gate.waitForWaiters()
    await passTime(studio)
    await studio.observer.wait(for: "threadLost")
    studio.loader.resume(url, at: .step(3))
    // The picture itself hangs once more, and nothing else does.
    await gate.waitForWaiters(count: 2)
    await passTime(studio)
    await #expect { try await load.image } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    #expect(studio.manager.lostThreadCount == 2)
    await release(studio)
  }

  @Test func aSerializerThatHangsStopsNoLoad() async throws {
    let serializer = FakeCacheSerializer { [gate] _, _ in
      gate.pass()
      return nil
    }
    let studio = studio { $0.cacheSerializer = serializer }
    let url = studio.place(.small)
    _ = try await studio.manager.image(for: url)
    await gate.waitForWaiters()
    await passTime(studio)
    await studio.observer.wait(for: "cacheFailed")
    await studio.settle()
    #expect(studio.observer.names.contains("threadLost"))
    #expect(studio.disk.entries.isEmpty)
    _ = try await studio.manager.image(for: url, options: .fromLoaderOnly, context: [.storeLayers(.memory)])
    await release(studio)
    #expect(studio.disk.entries.isEmpty, "what comes too late is not stored")
  }

  @Test func anEncoderThatHangsIsAnsweredForToo() async throws {
    let studio = studio(coders: [Stuck.Coder(at: gate)])
    let image = Image(try ToyImage.small.expectedBitmap())
    let encoding = Task { try await studio.manager.encode(image, as: ToyImage.format) }
    await gate.waitForWaiters()
    await passTime(studio)
    let error = await #expect(throws: ImageError.self) { try await encoding.value }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.hasPrefix("Encoding by the coder stuck did not return") == true)
    await release(studio)
  }

  /// A gate whose release does not return.
  private struct StuckGate: WorkGate {
    let gate: Gate
    let isFinished: Locked<Bool?>

    func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
      { [self] isFinished in
        self.isFinished.withLock { $0 = isFinished }
        gate.pass()
      }
    }
  }

  @Test(arguments: [true, false]) func aWorkGateWhoseReleaseHangsHoldsNobody(_ succeeds: Bool) async throws {
    let isFinished = Locked<Bool?>(nil)
    let studio = studio { [gate] in $0.workGate = StuckGate(gate: gate, isFinished: isFinished) }
    let url = URL(string: "http://host/a.toy")!
    studio.loader.script(url, .body(succeeds ? ToyImage.small.bytes : Array(ToyImage.small.bytes.dropLast(4))))
    let load = Task { try await studio.encoded(url) }
    await gate.waitForWaiters()
    await passTime(studio)
    if succeeds {
      #expect(try await load.value.bitmap() == ToyImage.small.expectedBitmap())
    } else {
      await #expect { try await load.value } throws: { ($0 as? ImageError)?.code == .badImageData }
    }
    #expect(isFinished.withLock { $0 } == succeeds)
    #expect(studio.observer.names.contains("threadLost"))
    await release(studio)
    await studio.settle()
    #expect(studio.isAtRest)
  }

  @Test func aWorkGateIsLeftByWorkThatWasCancelled() async throws {
    let isFinished = Locked<Bool?>(nil)
    gate.open()
    let studio = Studio { [gate] in $0.workGate = StuckGate(gate: gate, isFinished: isFinished) }
    studio.coder.encodeGate.close()
    let url = studio.place(.small)
    let load = Task { try await studio.encoded(url) }
    await studio.coder.encodeGate.waitForWaiters()
    load.cancel()
    await #expect { try await load.value } throws: { ($0 as? ImageError)?.code == .cancelled }
    studio.coder.encodeGate.open()
    await waitUntil { isFinished.withLock { $0 } == false }
    await studio.settle()
  }

  @Test func framesThatHangWhilePreloadedFailTheLoad() async throws {
    let frames = FakeFrameSource(durations: [.seconds(1), .seconds(1)])
    frames.gate.close()
    var image = Image(try Bitmap(size: frames.canvasSize, format: .opaqueRGBA8))
    image.frames = frames
    let studio = studio()
    let url = URL(string: "http://host/moving.toy")!
    studio.loader.script(url, .image(image))
    let load = studio.manager.load(url, options: .preloadAllFrames, context: [.storeLayers(.memory)])
    await frames.gate.waitForWaiters()
    await passTime(studio)
    let error = await #expect(throws: ImageError.self) { try await load.image }
    #expect(error?.code == .limitExceeded)
    frames.gate.open()
    await release(studio)
  }

  @Test func transformersThatWaitForLoadsOfTheSameManagerDoNotStopIt() async throws {
    let studio = studio(threads: 2)
    let manager = studio.manager
    let inner = studio.place(.small, at: "http://host/inner.toy")
    let arrived = Watched(0)
    let outer = (0..<2).map { number in
      let waiting = TransformerPipeline.closure(key: "Waiting(\(number))") { image in
        arrived.withLock { $0 += 1 }
        let done = Semaphore()
        Task {
          _ = try? await manager.image(for: inner)
          done.signal()
        }
        done.wait()
        return image
      }
      return manager.load(studio.place(.small, at: "http://host/\(number).toy"), context: [.transformer(waiting)])
    }
    await arrived.wait { $0 == 2 }
    await waitUntil { studio.loader.callCount(for: inner) == 1 }
    await passTime(studio)
    for load in outer {
      await #expect { try await load.image } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    }
    // Replacement threads did the work that had waited.
    await waitUntil { manager.lostThreadCount == 0 }
    #expect(manager.cachedImage(for: inner) != nil)
  }

  @Test func aLoadThatIsCancelledIsAnsweredAtOnceAndItsThreadComesFreeLater() async throws {
    let studio = studio(coders: [Stuck.Coder(at: gate)])
    let hanging = studio.manager.load(studio.place(.small))
    await gate.waitForWaiters()
    hanging.cancel()
    await #expect { try await hanging.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    await passTime(studio)
    await waitUntil { studio.manager.lostThreadCount == 1 }
    _ = try await studio.manager.image(
      for: studio.place(.small, at: "http://host/b.toy"), context: [.coder(ToyCoder(identifier: "good"))])
    await release(studio)
    #expect(studio.isAtRest)
  }
}
