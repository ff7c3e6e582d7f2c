import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The results of all plug-ins are checked against the limits and the request.
struct PluginCheckTests {
  let url = URL(string: "http://host/a.toy")!
  private let huge = PixelSize(width: 12_000, height: 12_000)

  private func studio(
    _ coder: BentCoder, _ configure: (inout ImageManager.Configuration) -> Void = { _ in }
  ) -> Studio {
    let studio = Studio {
      $0.coder = CoderRegistry([coder])
      configure(&$0)
    }
    studio.place(.small, chunkSize: 64)
    return studio
  }

  private func emptyBitmap(_ size: PixelSize) throws -> Bitmap { try Bitmap(size: size, format: .opaqueRGBA8) }

  // MARK: Decoders

  @Test(arguments: [true, false]) func aHeaderOverTheLimitsIsRefusedBeforeDecoding(_ isProgressive: Bool) async throws {
    let coder = BentCoder(header: { $0.storedSize = PixelSize(width: 12_000, height: 12_000) })
    let studio = studio(coder) { if !isProgressive { $0.decryptor = XORDecryptor(key: 0) } }
    #expect(await studio.failure(url)?.code == .limitExceeded)
    #expect(coder.toy.counts.decodes == 0 && coder.toy.counts.finishes == 0)
  }

  @Test(arguments: [2_000_000_000, 0, -1]) func aHeaderWithAnImpossibleNumberOfFramesIsRefused(_ count: Int)
    async throws
  {
    let coder = BentCoder(header: { $0.frameCount = count })
    #expect(await studio(coder).failure(url)?.code == (count > 0 ? .limitExceeded : .badImageData))
    #expect(coder.toy.counts.decodes == 0)
  }

  @Test(arguments: [PixelSize(width: 9, height: 6), PixelSize(width: 4, height: 3), PixelSize(width: 6, height: 8)])
  func aDecoderThatMakesAnotherSizeThanItMustFails(_ size: PixelSize) async throws {
    let coder = BentCoder(image: { $0.bitmap = try Bitmap(size: size, format: .opaqueRGBA8) })
    let error = await studio(coder).failure(url)
    #expect(error?.code == .badImageData)
    #expect(error?.message.contains("\(size)") == true && error?.message.contains("8x6") == true)
  }

  @Test func aDecoderThatIgnoresTheThumbnailFailsAndNothingIsStoredUnderItsKey() async throws {
    let whole = try ToyImage.small.expectedBitmap()
    let studio = studio(BentCoder(image: { $0.bitmap = whole }))
    #expect(await studio.failure(url, [], [.thumbnailSize(PixelSize(width: 4, height: 4))])?.code == .badImageData)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty)
    #expect(try await studio.result(url, .retryFailed).image.bitmap == whole)
  }

  @Test func aDecoderThatIgnoresTheScaleDownLimitFails() async throws {
    let whole = try ToyImage.small.expectedBitmap()
    let studio = studio(BentCoder(image: { $0.bitmap = whole })) { $0.scaleDownLimitBytes = 64 }
    #expect(await studio.failure(url, .scaleDownLarge)?.code == .badImageData)
  }

  @Test(arguments: [PixelSize(width: 9, height: 7), PixelSize(width: 2, height: 1), PixelSize(width: 8, height: 3)])
  func whatAPlanAllowsIsNotLargerNorSmallerNorStretched(_ size: PixelSize) async throws {
    let coder = BentCoder(image: { $0.bitmap = try Bitmap(size: size, format: .opaqueRGBA8) })
    let context: ImageContext = [.transformer(.custom(BentPlanner(least: PixelSize(width: 4, height: 3))))]
    #expect(await studio(coder).failure(url, [], context)?.code == .badImageData)
  }

  @Test(arguments: [2_000_000_000, 0, -7]) func framesInImpossibleNumbersAreRefused(_ count: Int) async throws {
    let coder = BentCoder(image: {
      $0.frames = ClaimedFrames(count: count, canvasSize: $0.size)
    })
    let studio = studio(coder)
    let expected: ImageError.Code = count > 0 ? .limitExceeded : .badImageData
    #expect(await studio.failure(url, .preloadAllFrames)?.code == expected)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty)
  }

  @Test func framesOfAnotherSizeThanThePictureAndPlaysBelowZeroAreRefused() async throws {
    let other = BentCoder(image: { $0.frames = ClaimedFrames(canvasSize: PixelSize(width: 5, height: 5)) })
    #expect(await studio(other).failure(url)?.code == .badImageData)
    let backwards = BentCoder(image: { $0.frames = ClaimedFrames(loopCount: -1, canvasSize: $0.size) })
    #expect(await studio(backwards).failure(url)?.code == .badImageData)
    let header = BentCoder(header: { $0.loopCount = -1 })
    #expect(await studio(header).failure(url)?.code == .badImageData)
  }

  @Test func metadataOverTheLimitIsRefused() async throws {
    let coder = BentCoder(image: { $0.metadata.exif = Data(count: 17 << 20) })
    #expect(await studio(coder).failure(url)?.code == .limitExceeded)
    var limits = Limits()
    limits.metadataBytes = 20 << 20
    #expect(try await studio(coder).result(url, [], [.limits(limits)]).image.metadata.exif?.count == 17 << 20)
  }

  @Test func aStoredPictureIsCheckedToo() async throws {
    let studio = Studio()
    studio.place(.small)
    let size: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
    let first = try await studio.warm(url, [], size)
    studio.memory.removeAll()
    let bent = BentCoder(image: { $0.frames = ClaimedFrames(count: 0, canvasSize: $0.size) })
    var configuration = ImageManager.Configuration(
      loader: LoaderChain([studio.loader]), coder: CoderRegistry([bent]), cache: studio.cache)
    configuration.observer = studio.observer
    let other = ImageManager(configuration)
    let request = ImageRequest(url: url, options: .fromCacheOnly, context: size)
    await #expect { try await other.image(for: request) } throws: { ($0 as? ImageError)?.code == .notInCache }
    #expect(studio.observer.names.contains("cacheFailed"))
    #expect(first.source == .network)
  }

  // MARK: Previews

  @Test func previewsOfAnotherSizeThanThePictureAreDropped() async throws {
    let coder = BentCoder(preview: { $0.bitmap = try Bitmap(size: PixelSize(width: 2, height: 2), format: .rgba8) })
    let studio = studio(coder) { $0.minimumPreviewInterval = .zero }
    studio.place(.small, chunkSize: 64)
    studio.loader.suspend(url, at: .end)
    let task = studio.manager.load(url, options: .progressive)
    let events = studio.events(of: task)
    await coder.toy.wait { $0.previews > 0 }
    studio.loader.resume(url, at: .end)
    #expect(try await task.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(await events.value.compactMap(\.preview).isEmpty)
  }

  // MARK: Plans

  @Test(arguments: [-3, 0, 9, 1000]) func aPlanThatNoDecoderCanFollowIsIgnored(_ side: Int) async throws {
    let studio = Studio()
    studio.place(.small, chunkSize: 64)
    let planner = BentPlanner(least: PixelSize(width: side, height: side))
    let image = try await studio.result(url, [], [.transformer(.custom(planner))]).image
    #expect(image.size == ToyImage.small.size)
    #expect(studio.coder.decodeOptions.allSatisfy { $0.leastSize == nil })
    #expect(TransformerPipeline.custom(planner).plan(for: ToyImage.small.size).leastSize == nil)
  }

  // MARK: Loaders

  @Test func aReadyPictureObeysTheLimits() async throws {
    let studio = Studio()
    studio.loader.script(url, .image(Image(try emptyBitmap(huge))))
    #expect(await studio.failure(url)?.code == .limitExceeded)
    let frames = URL(string: "http://host/frames.toy")!
    let moving = Image(
      try emptyBitmap(PixelSize(width: 4, height: 4)), frames: ClaimedFrames(count: 2_000_000_000))
    studio.loader.script(frames, .image(moving))
    #expect(await studio.failure(frames)?.code == .limitExceeded)
    #expect(studio.memory.entries.isEmpty)
  }

  @Test func aReadyPictureIsScaledToWhatWasAskedFor() async throws {
    let studio = Studio {
      $0.scaler = { size in ToySampler(size: size) }
      $0.scaleDownLimitBytes = 4 * 8 * 8
    }
    studio.loader.script(url, .image(Image(try ToyImage(width: 32, height: 16).expectedBitmap())))
    let box: ImageContext = [.thumbnailSize(PixelSize(width: 8, height: 8))]
    let small = try await studio.result(url, [], box)
    #expect(small.image.size == PixelSize(width: 8, height: 4) && small.image.traits == .thumbnail)
    #expect(small.image.metadata.storedSize == PixelSize(width: 32, height: 16))
    #expect(try await studio.result(url, .scaleDownLarge).image.size == PixelSize(width: 11, height: 5))
    #expect(try await studio.result(url).image.size == PixelSize(width: 32, height: 16))
    #expect(try await studio.result(url, [], box).source == .memory)
  }

  @Test func aReadyPictureThatMovesIsScaledFrameByFrame() async throws {
    let studio = Studio { $0.scaler = { size in ToySampler(size: size) } }
    let frames = ClaimedFrames(count: 3)
    studio.loader.script(url, .image(Image(try frames.frame(at: 0), frames: frames)))
    let image = try await studio.result(url, [], [.thumbnailSize(PixelSize(width: 2, height: 2))]).image
    #expect(image.frames?.count == 3 && image.frames?.canvasSize == PixelSize(width: 2, height: 2))
    #expect(try image.frames?.frame(at: 2).size == PixelSize(width: 2, height: 2))
  }

  @Test func withoutAScalerAReadyPictureIsNeverTakenForItsThumbnail() async throws {
    let studio = Studio()
    studio.loader.script(url, .image(Image(try emptyBitmap(PixelSize(width: 32, height: 16)))))
    let error = await studio.failure(url, [], [.thumbnailSize(PixelSize(width: 8, height: 8))])
    #expect(error?.code == .transformFailed && error?.message.contains("scaler") == true)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    // A picture that already fits needs no scaler.
    #expect(try await studio.result(url, [], [.thumbnailSize(PixelSize(width: 64, height: 64))]).image.size.width == 32)
  }

  @Test(arguments: [1, 100]) func aBodyLongerThanAnnouncedIsAnError(_ chunkSize: Int) async throws {
    let studio = Studio()
    var script = FakeLoader.Script.body(ToyImage.small.bytes, chunkSize: chunkSize)
    script.steps[0] = .head(ResponseHead(status: 200, expectedLength: ToyImage.small.bytes.count - 1))
    studio.loader.script(url, script)
    let error = await studio.failure(url)
    #expect(error?.code == .invalidResponse && error?.message.contains("announced") == true)
    await studio.settle()
    #expect(studio.disk.entries.isEmpty)
  }

  @Test func aLengthBelowZeroIsAnUnknownOne() async throws {
    for modifier in [nil, FakeResponseModifier(cacheIdentity: .plain)] {
      let studio = Studio { $0.responseModifier = modifier }
      var script = FakeLoader.Script.body(ToyImage.small.bytes)
      script.steps[0] = .head(ResponseHead(status: 200, expectedLength: -1))
      studio.loader.script(url, script)
      let task = studio.manager.load(url)
      let events = studio.events(of: task)
      #expect(try await task.image.size == ToyImage.small.size)
      #expect(await events.value.compactMap(\.progress).allSatisfy { $0[1] == nil })
      #expect(studio.manager.bodyMemory.taken == 0)
    }
  }

  @Test(arguments: [-1, 5000]) func aRestartWhereNothingCameIsAnError(_ offset: Int) async throws {
    let studio = Studio()
    var script = FakeLoader.Script.body(ToyImage.small.bytes, announcesLength: false)
    script.steps.append(.restart(at: offset))
    studio.loader.script(url, script)
    #expect(await studio.failure(url)?.code == .invalidResponse)
  }

  // MARK: Decryptors

  @Test func whatADecryptorMakesObeysTheLimitOfBytes() async throws {
    let studio = Studio { $0.limits.downloadBytes = 1000 }
    studio.loader.script(url, .body([1, 2, 3]))
    let swelling = ImageContext.Entry.decryptor(
      .closure(cacheIdentity: .named("swell")) { _ in ImageBytes([UInt8](repeating: 0, count: 1001)) })
    let error = await studio.failure(url, [], [swelling])
    #expect(error?.code == .limitExceeded && error?.message.contains("downloadBytes") == true)
  }

  // MARK: Transformers

  @Test func whatATransformerMakesObeysTheLimits() async throws {
    let studio = Studio()
    studio.place(.small)
    let bitmap = try emptyBitmap(huge)
    let swelling = TransformerPipeline.closure(key: "Swell()") { _ in Image(bitmap) }
    for _ in 0..<2 {
      let error = await studio.failure(url, [], [.transformer(swelling)])
      #expect(error?.code == .limitExceeded)
      #expect(error?.message.contains("Swell()") == true)
    }
    await studio.settle()
    #expect(studio.memory.entries.isEmpty)
    // The URL is not blocked.
    _ = try await studio.result(url)
  }

  @Test(arguments: [Limits(resultSide: 7), Limits(resultPixels: 15)])
  func whatATransformerMakesObeysTheLimitsOfResults(_ limits: Limits) async throws {
    let studio = Studio()
    studio.place(.small)
    let bitmap = try Bitmap(size: PixelSize(width: 8, height: 2), format: .opaqueRGBA8)
    let swelling = TransformerPipeline.closure(key: "Swell()") { _ in Image(bitmap) }
    let error = await studio.failure(url, [], [.transformer(swelling), .limits(limits)])
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.result") == true)
    #expect(error?.message.contains("Swell()") == true)
    // Only transformers are bound: the decoded picture may be larger, and may keep its size.
    let strict: ImageContext = [
      .limits(Limits(resultSide: 1, resultPixels: 1)), .transformer(.custom(TaggingTransformer(1))),
    ]
    #expect(try await studio.result(url, [], strict).image.traits.contains(.transformed))
  }

  @Test func whatATransformerMakesOfFramesObeysTheLimits() async throws {
    let studio = Studio()
    studio.place(.moving)
    let frames = TransformerPipeline.closure(key: "Many()") { image in
      var image = image
      image.frames = ClaimedFrames(count: 2_000_000_000, canvasSize: image.size)
      return image
    }
    #expect(await studio.failure(url, .transformAnimated, [.transformer(frames)])?.code == .limitExceeded)
  }
}

/// Makes a picture smaller by leaving pixels out.
struct ToySampler: Transformer {
  let size: PixelSize
  var cacheKey: String { "Sample(\(size))" }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let (source, target) = (image.bitmap, size)
    var bitmap = try Bitmap(size: target, format: source.format)
    let (from, to, pixel) = (source.bytesPerRow, bitmap.bytesPerRow, source.format.bytesPerPixel)
    source.withUnsafeBytes { old in
      bitmap.withUnsafeMutableBytes { new in
        for y in 0..<target.height {
          for x in 0..<target.width {
            let place = y * source.height / target.height * from + x * source.width / target.width * pixel
            for byte in 0..<pixel { new[y * to + x * pixel + byte] = old[place + byte] }
          }
        }
      }
    }
    return Image(bitmap)
  }
}
