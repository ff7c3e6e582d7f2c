import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselWorkers

/// The time limit of decoding counts only the time in which a thread works.
struct DecodeTimeTests {
  /// A coder that takes a second for each picture.
  private struct SlowCoder: ImageCoder {
    let clock: ManualClock
    let base = ToyCoder(isProgressive: false)

    var identifier: String { "slow" }
    var formats: [ImageFormat] { base.formats }
    func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }
    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try base.probe(bytes, work: work) }

    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      clock.advance(by: .seconds(1))
      return try base.decode(bytes, options: options, work: work)
    }
  }

  private struct SlowTransformer: Transformer {
    let clock: ManualClock
    let time: Duration
    let cacheKey: String

    func transform(_ image: Image, work: WorkContext) throws -> Image {
      clock.advance(by: time)
      try work.checkCancellation()
      return image
    }
  }

  private func limits(_ time: Duration) -> Limits {
    var limits = Limits()
    limits.decodeTime = time
    return limits
  }

  @Test func decodesThatWaitForAThreadLoseNoTime() async throws {
    let clock = ManualClock()
    let studio = Studio {
      $0.clock = clock
      $0.coder = CoderRegistry([SlowCoder(clock: clock)])
      $0.workers = WorkerSet(threads: 1, clock: clock)
      $0.limits = limits(.seconds(4))
    }
    let urls = (0..<16).map { studio.place(.small, at: "http://host/\($0).toy") }
    let loads = urls.map { url in Task { try await studio.manager.image(for: url) } }
    for load in loads { _ = try await load.value }
    #expect(studio.manager.lostThreadCount == 0)
  }

  @Test(arguments: [false, true])
  func aSlowBodyTakesNoTimeFromDecodingAndTransforming(isProgressive: Bool) async throws {
    let workers = WorkerSet.patient(threads: 1)
    let studio = Studio(coder: ToyCoder(isProgressive: isProgressive)) {
      $0.workers = workers
      $0.limits = limits(.seconds(4))
    }
    let url = studio.place(.small, chunkSize: 40)
    studio.loader.suspend(url, at: .step(3))
    let load = studio.manager.load(url, options: .progressive, context: [.transformer(.custom(TaggingTransformer(1)))])
    await studio.loader.waitUntilSuspended(url, at: .step(3))
    if isProgressive {
      for await event in load.events { if case .preview = event { break } }
    }
    // Now no decoder works on the arrived bytes, so the time that passes counts for the body alone.
    try await workers.run(at: LoadPriority.Live(.veryLow)) {}
    studio.clock.advance(by: .seconds(60))
    studio.loader.resume(url, at: .step(3))
    #expect(TaggingTransformer.tags(of: try await load.image) == [1])
  }

  @Test func eachTransformerHasTheWholeTime() async throws {
    let clock = ManualClock()
    let studio = Studio {
      $0.clock = clock
      $0.limits = limits(.seconds(4))
    }
    let steps = (0..<5).map { SlowTransformer(clock: clock, time: .seconds(3), cacheKey: "Slow(\($0))") }
    _ = try await studio.manager.image(for: studio.place(.small), context: [.transformer(TransformerPipeline(steps))])
    #expect(clock.uptime == .seconds(15))
  }

  @Test func aTransformerThatTakesLongerFailsTheLoadWithTheLimit() async {
    let clock = ManualClock()
    let studio = Studio {
      $0.clock = clock
      $0.limits = limits(.seconds(4))
    }
    let slow = SlowTransformer(clock: clock, time: .seconds(5), cacheKey: "Slow(1)")
    let error = await studio.failure(studio.place(.small), [], [.transformer(.custom(slow))])
    #expect(error?.code == .limitExceeded)
  }

  /// A server finds out by it which pictures keep it busy.
  @Test func anErrorSaysWhichWorkTookTooLong() async {
    let clock = ManualClock()
    let studio = Studio {
      $0.clock = clock
      $0.coder = CoderRegistry([SlowCoder(clock: clock)])
      $0.limits = limits(.milliseconds(500))
    }
    let read = await studio.failure(studio.place(.small))
    #expect(read?.code == .limitExceeded && read?.slowWork == .reading)
    let other = Studio {
      $0.clock = clock
      $0.limits = limits(.seconds(4))
    }
    let slow = SlowTransformer(clock: clock, time: .seconds(5), cacheKey: "Slow(1)")
    let made = await other.failure(other.place(.small), [], [.transformer(.custom(slow))])
    #expect(made?.code == .limitExceeded && made?.slowWork == .making)
    // Another limit, which is found at once.
    var strict = limits(.seconds(4))
    strict.side = 1
    let large = await other.failure(other.place(.small), [], [.limits(strict)])
    #expect(large?.code == .limitExceeded && large?.slowWork == nil)
  }

  @Test func stepsThatTakeTooLongTogetherCostOnlyTheHeadStart() async throws {
    let studio = Studio { $0.limits = limits(.seconds(4)) }
    let url = studio.place(.small, chunkSize: 40)
    studio.coder.previewGate.close()
    studio.loader.suspend(url, at: .end)
    let load = studio.manager.load(url, options: .progressive)
    await studio.coder.previewGate.waitForWaiters()
    // The step checks the time and ends by itself, within the second before its thread is given up.
    studio.clock.advance(by: .milliseconds(4500))
    studio.loader.resume(url, at: .end)
    #expect(try await load.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(studio.coder.counts.decodes == 1)
    #expect(studio.manager.lostThreadCount == 0)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e20)])
  func aTimeWithoutEndIsNoOverflow(time: Duration) async throws {
    let studio = Studio {
      $0.limits = limits(time)
      $0.workers = WorkerSet(threads: 1)
      $0.failedURLLifetime = time
      $0.minimumPreviewInterval = time
    }
    _ = try await studio.manager.image(for: studio.place(.small), options: .progressive)
    _ = await studio.failure(URL(string: "none://host/a"))
    await studio.manager.close(within: time)
  }

  @Test func noTimeAtAllFailsAndCrashesNothing() async throws {
    let clock = SystemClock()
    let studio = Studio {
      $0.clock = clock
      $0.limits = limits(.seconds(-5))
    }
    let error = await studio.failure(studio.place(.small))
    #expect(error?.code == .limitExceeded)
    await studio.manager.close(within: .seconds(-5))
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e20)])
  func aRetryAfterAnEternityWaitsUntilItIsCancelled(time: Duration) async throws {
    let studio = Studio {
      $0.clock = SystemClock()
      $0.retryPolicy = FakeRetryPolicy(.retry(after: time))
    }
    let url = URL(string: "http://host/a.toy")!
    studio.loader.script(url, .failure(ImageError(.network, "The line is cut.")))
    let load = studio.manager.load(url)
    await studio.observer.wait(for: "retrying")
    load.cancel()
    await #expect { try await load.image } throws: { ($0 as? ImageError)?.code == .cancelled }
  }
}
