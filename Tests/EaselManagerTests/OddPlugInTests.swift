import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Plug-ins that behave unexpectedly.
struct OddPlugInTests {
  let url = URL(string: "http://host/a.toy")!

  @Test func aStillThatATransformerMakesMoveIsStoredAsItIs() async throws {
    let studio = Studio()
    studio.place(.small)
    let moving = TransformerPipeline.closure(key: "Move(1)") { image in
      var dark = try Bitmap(size: image.size, format: .opaqueRGBA8)
      dark.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : 9 }
      }
      return Image(dark, frames: try FrameArray([dark, dark], each: .milliseconds(50)))
    }
    let fresh = try await studio.warm(url, [], [.transformer(moving)])
    #expect(fresh.image.bitmap.pixel(x: 0, y: 0)?.red == 9)
    studio.memory.removeAll()
    let stored = try await studio.result(url, [], [.transformer(moving)])
    #expect(stored.source == .disk && stored.image.bitmap.pixel(x: 0, y: 0)?.red == 9)
  }

  @Test func aPlugInThatAsksForAnotherSizeOfItsOwnURLIsRefused() async throws {
    let studio = Studio()
    let manager = studio.manager
    studio.place(.small)
    let asking: ImageContext = [
      .requestModifier(
        .closure(cacheIdentity: .named("a")) { request in
          _ = try await manager.image(
            for: request.url,
            context: [
              .requestModifier(.closure(cacheIdentity: .named("a")) { $0 }),
              .thumbnailSize(PixelSize(width: 2, height: 2)),
            ])
          return request
        })
    ]
    let error = await studio.failure(url, [], asking)
    let cause = error?.causes.first as? ImageError
    #expect(error?.code == .invalidRequest && cause?.code == .invalidRequest)
    #expect(cause?.message.contains("waits for the plug-in itself") == true)
  }

  /// A loader that sends one body to the sink and returns the bytes of another.
  private struct TwoBodies: ImageLoader {
    let streamed: [UInt8]
    let returned: [UInt8]
    var cacheIdentity: CacheIdentity { .named("two") }

    func canLoad(_ url: URL) -> Bool { true }

    func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      let head = ResponseHead(url: request.url, status: 200, headers: ["ETag": "\"streamed\""])
      if try !sink.beginAtOnce(head) { try await sink.begin(head) }
      _ = streamed.withUnsafeBytes(sink.append)
      let other = ResponseHead(url: request.url, status: 200, headers: ["ETag": "\"returned\""])
      return .bytes(ImageBytes(returned), other)
    }
  }

  @Test(arguments: [ToyImage(width: 8, height: 6, seed: 3), ToyImage(width: 3, height: 2), .moving])
  func bytesThatALoaderReturnsTakeThePlaceOfWhatItStreamed(_ streamed: ToyImage) async throws {
    for (count, options) in [(0, []), (0, .progressive), (30, []), (30, .progressive)] as [(Int, ImageOptions)] {
      let studio = Studio()
      let body = Array(streamed.bytes.dropLast(count))
      let loader = TwoBodies(streamed: body, returned: ToyImage.small.bytes)
      let result = try await studio.warm(url, options, [.loader(loader)])
      #expect(try result.image.bitmap == ToyImage.small.expectedBitmap() && !result.image.isAnimated)
      let stored = try #require(studio.disk.entries[result.key])
      #expect(try stored.bytes?.data() == ToyImage.small.imageBytes.data())
      #expect(stored.record.response?.headers["ETag"] == "\"returned\"")
      let encoded = try await studio.warmEncoded(url, as: .toy, .fromLoaderOnly, [.loader(loader)])
      #expect(try encoded.bytes.data() == ToyImage.small.imageBytes.data())
    }
  }

  @Test(arguments: 0..<20) func whatBeganJustBeforeAClearIsNotPutBack(round: Int) async throws {
    let studio = Studio()
    studio.place(.small)
    let task = studio.manager.load(url)
    try await studio.manager.clearCache()
    _ = try await task.image
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func aSinkWhoseLoadIsOverTakesNoRoom() async throws {
    let kept = Locked<(any LoadSink)?>(nil)
    let studio = Studio { $0.undecodedBytes = 100 }
    studio.place(.small)
    let context: ImageContext = [.loader(KeepingLoader(base: studio.loader, kept: kept))]
    _ = try await studio.result(url, [], context)
    let sink = try #require(kept.withLock { $0 })
    let head = ResponseHead(status: 200, expectedLength: 1000)
    #expect(throws: ImageError.self) { try sink.beginAtOnce(head) }
    await #expect(throws: ImageError.self) { try await sink.begin(head) }
    #expect(studio.manager.bodyMemory.taken == 0)
  }

  @Test(arguments: [CachePolicy.forever, .http]) func aModifierThatMakesAnUnsafeRequestOfASafeOneIsRefused(
    _ policy: CachePolicy
  ) async throws {
    let studio = Studio { $0.cachePolicy = policy }
    studio.place(.small)
    let context: ImageContext = [
      .requestModifier(
        .closure(cacheIdentity: .named("post")) { request in
          var request = request
          request.method = "post"
          return request
        })
    ]
    let error = await studio.failure(url, [], context)
    #expect(error?.code == .invalidRequest && error?.message.contains("GET") == true)
    #expect(studio.loader.callCount == 0)
  }

  @Test func aCoderOrLoaderThatSaysItWasCancelledHasFailed() async throws {
    let coder = BentCoder(image: { _ in throw CancellationError() })
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    studio.place(.small)
    #expect(await studio.failure(url)?.code == .badImageData)
    let other = URL(string: "http://host/b.toy")!
    studio.loader.script(other, .failure(CancellationError()))
    #expect(await studio.failure(other)?.code == .network)
  }
}

/// A loader that lets the test keep its sink.
private struct KeepingLoader: ImageLoader {
  let base: FakeLoader
  let kept: Locked<(any LoadSink)?>
  var cacheIdentity: CacheIdentity { .named("keeping") }

  func canLoad(_ url: URL) -> Bool { base.canLoad(url) }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    kept.withLock { $0 = sink }
    return try await base.load(request, into: sink)
  }
}
