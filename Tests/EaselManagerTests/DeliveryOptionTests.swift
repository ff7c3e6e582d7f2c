import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The options that decide which pixels are made and what is delivered.
struct DeliveryOptionTests {
  let url = URL(string: "http://host/a.toy")!

  @Test func transformersLeaveMovingPicturesAloneUnlessTold() async throws {
    let studio = Studio()
    studio.place(.moving)
    let tag = TaggingTransformer(5)
    let untouched = try await studio.result(url, [], [.transformer(.custom(tag))])
    #expect(tag.count == 0 && untouched.image.isAnimated)
    #expect(try untouched.image.bitmap == ToyImage.moving.expectedBitmap())
    let touched = try await studio.result(url, .transformAnimated, [.transformer(.custom(tag))])
    let frames = try #require(touched.image.frames)
    let first = try ToyImage.moving.expectedBitmap(frame: 2).withUnsafeBytes { $0[0] }
    #expect(try frames.frame(at: 2).withUnsafeBytes { $0[0] } == first &* 31 &+ 5)
    #expect(untouched.key != touched.key)
  }

  @Test func scaleDownLargeFitsTheLimitAndIsPartOfTheKey() async throws {
    let studio = Studio { $0.scaleDownLimitBytes = 1024 }
    studio.place(ToyImage(width: 32, height: 32))
    let full = try await studio.result(url)
    let scaled = try await studio.result(url, .scaleDownLarge)
    let smaller = try await studio.result(url, .scaleDownLarge, [.scaleDownLimitBytes(256)])
    #expect(full.image.size == PixelSize(width: 32, height: 32))
    #expect(scaled.image.size == PixelSize(width: 16, height: 16))
    #expect(smaller.image.size == PixelSize(width: 8, height: 8))
    #expect(scaled.key.readable == "http://host/a-ScaleDown(1024).toy")
    #expect(smaller.key.readable == "http://host/a-ScaleDown(256).toy")
  }

  @Test func firstFrameOnlyStillsWhatMovesAlsoFromMemory() async throws {
    let studio = Studio()
    studio.place(.moving)
    #expect(try await !studio.result(url, .firstFrameOnly).image.isAnimated)
    let again = try await studio.result(url, .firstFrameOnly)
    #expect(again.source == .memory && !again.image.isAnimated)
    #expect(studio.manager.cachedImage(for: url, options: .firstFrameOnly)?.isAnimated == false)
    let moving = try await studio.result(url)
    #expect(moving.source == .memory && moving.image.frames?.count == 3)
  }

  @Test(arguments: [(3, 10_000), (2, 150), (0, 1)])
  func preloadAllFramesDecodesWhatTheBudgetHolds(_ ready: Int, _ budget: Int) async throws {
    let studio = Studio { $0.frameBudgetBytes = budget }
    let frames = FakeFrameSource(
      durations: [.milliseconds(10), .milliseconds(20), .milliseconds(30)],
      canvasSize: PixelSize(width: 4, height: 4))
    let image = Image(try Bitmap(size: PixelSize(width: 4, height: 4), format: .opaqueRGBA8), frames: frames)
    studio.loader.script(url, .image(image))
    // Stores in memory only, because writing the frames to disk would make them too.
    _ = try await studio.result(url, [], [.storeLayers(.memory)])
    #expect(frames.made.isEmpty)
    let preloaded = try #require(try await studio.result(url, .preloadAllFrames).image.frames)
    let made = frames.made.count
    for index in 0..<3 { #expect(FakeFrameSource.index(of: try preloaded.frame(at: index)) == index) }
    #expect(frames.made.count - made == 3 - ready)
    #expect(preloaded.duration(at: 2) == .milliseconds(30))
  }

  @Test func requireAnimatedTakesACachedStillForAMiss() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes), .body(ToyImage.moving.bytes))
    try await studio.warm(url)
    let result = try await studio.result(url, .requireAnimated)
    #expect(result.image.isAnimated && result.source == .network)
    #expect(try await studio.result(url, .requireAnimated).source == .memory)
  }

  @Test func requireAnimatedFailsForABodyThatCannotMove() async throws {
    let studio = Studio()
    studio.place(.small)
    #expect(await studio.failure(url, .requireAnimated)?.code == .badImageData)
    // This caller's requirement does not block the URL.
    #expect(try await studio.result(url).source == .memory)
    #expect(await studio.failure(url, [.requireAnimated, .fromCacheOnly])?.code == .notInCache)
    #expect(await studio.failure(url, [.requireAnimated, .fromLoaderOnly])?.code == .badImageData)
  }

  @Test func includeDataDeliversTheReceivedBytes() async throws {
    let studio = Studio()
    studio.place(.small)
    let bytes = try ToyImage.small.imageBytes.data()
    #expect(try await studio.result(url).bytes == nil)
    await studio.settle()
    // Memory has no bytes; the disk has them.
    let found = try await studio.result(url, .includeData)
    #expect(found.source == .memory)
    #expect(try found.bytes?.data() == bytes)
    #expect(studio.loader.callCount == 1)
  }

  @Test func includeDataKeepsTheBytesInMemory() async throws {
    let studio = Studio()
    studio.place(.small)
    let first = try await studio.warm(url, .includeData)
    studio.forgetCalls()
    let second = try await studio.result(url, .includeData)
    #expect(second.source == .memory)
    #expect(try first.bytes?.data() == second.bytes?.data())
    #expect(studio.disk.calls.isEmpty && studio.loader.callCount == 1)
  }

  @Test func includeDataLoadsTheBytesThatNoCacheHas() async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url, [], [.storeLayers(.memory)])
    let result = try await studio.result(url, .includeData)
    #expect(result.source == .memory)
    #expect(try result.bytes?.data() == ToyImage.small.imageBytes.data())
    #expect(studio.loader.callCount == 2)
  }

  @Test(arguments: [FakeLoader.Script.failure(ImageError(.network, "Off.")), .body(ToyImage.moving.bytes)])
  func includeDataWritesThePixelsWhenTheirBytesAreGone(_ script: FakeLoader.Script) async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes), script)
    try await studio.warm(url, [], [.storeLayers(.memory)])
    let result = try await studio.result(url, .includeData)
    let bytes = try #require(result.bytes)
    #expect(try decoded(bytes).bitmap == ToyImage.small.expectedBitmap())
  }

  @Test func includeDataWritesTransformedPixels() async throws {
    let studio = Studio()
    studio.place(.small)
    let context: ImageContext = [.transformer(.custom(TaggingTransformer(9)))]
    let result = try await studio.result(url, .includeData, context)
    #expect(try decoded(#require(result.bytes)).bitmap == result.image.bitmap)
  }

  @Test func waitStoreDeliversAfterTheDisk() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.suspend(.store)
    let waiting = Task { try await studio.result(url, .waitStore) }
    await studio.disk.waitUntilSuspended(.store)
    #expect(studio.observer.names.contains("succeeded") == false)
    studio.disk.resume(.store)
    let key = try await waiting.value.key
    #expect(studio.disk.entries[key] != nil)
  }

  @Test func withoutWaitStoreNobodyWaitsForTheDisk() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.suspend(.store)
    let key = try await studio.result(url).key
    #expect(studio.disk.entries[key] == nil)
    #expect(studio.memory.entries[key] != nil)
    studio.disk.resume(.store)
    await studio.settle()
  }

  private func decoded(_ bytes: ImageBytes) throws -> Image {
    try ToyCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
  }
}
