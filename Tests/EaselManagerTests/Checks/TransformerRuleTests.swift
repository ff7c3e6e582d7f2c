import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselWorkers

/// The same rule holds for stills and frames: a property that a transformer does not state stays, and its statements
/// hold.
struct TransformerRuleTests {
  let url = URL(string: "http://host/a.toy")!
  private let secret = Data("where it was taken".utf8)

  /// A picture with every property set.
  private func picture(moves: Bool) throws -> Image {
    let size = PixelSize(width: 4, height: 4)
    var image = Image(
      try Bitmap(size: size, format: .opaqueRGBA8), format: .gif,
      metadata: ImageMetadata(
        storedSize: PixelSize(width: 40, height: 40), exif: secret, xmp: Data([1]),
        density: ImageMetadata.Density(horizontal: 300, vertical: 300)),
      frames: moves ? ClaimedFrames(count: 3, canvasSize: size) : nil)
    image.scaleFactor = 2
    return image
  }

  private static let bare = TransformerPipeline.closure(key: "Bare()") { Image($0.bitmap) }
  private static let stripped = TransformerPipeline.closure(key: "Strip()") { image in
    var image = image
    image.metadata.exif = nil
    return image
  }
  private static let stated = TransformerPipeline.closure(key: "State()") { image in
    Image(image.bitmap, metadata: ImageMetadata(storedSize: image.size))
  }

  @Test(arguments: [false, true]) func whatATransformerDoesNotStateStays(_ moves: Bool) async throws {
    let image = try picture(moves: moves)
    for pipeline in [Self.bare, Self.bare.then(Self.bare), Self.bare.then(.custom(TaggingTransformer(2)))] {
      let studio = Studio()
      studio.loader.script(url, .image(image))
      let result = try await studio.result(url, .transformAnimated, [.transformer(pipeline)]).image
      #expect(result.format == .gif && result.scaleFactor == 2 && result.isAnimated == moves)
      #expect(result.metadata.exif == secret && result.metadata.density == image.metadata.density)
      #expect(result.metadata.storedSize == image.metadata.storedSize)
      #expect(result.traits == .transformed)
    }
  }

  @Test(arguments: [false, true]) func whatATransformerStatesHoldsForTheWholePicture(_ moves: Bool) async throws {
    for pipeline in [Self.stripped, Self.stated, Self.stripped.then(Self.bare), Self.bare.then(Self.stated)] {
      let studio = Studio()
      studio.loader.script(url, .image(try picture(moves: moves)))
      let result = try await studio.warm(url, .transformAnimated, [.transformer(pipeline), .storeLayers(.memory)])
      #expect(result.image.metadata.exif == nil, "\(pipeline.cacheKey) did not hold.")
      #expect(result.image.format == .gif && result.image.isAnimated == moves)
      #expect(studio.memory.entries[result.key]?.image?.metadata.exif == nil)
    }
  }

  @Test func framesComeToTheTransformerWithAllThatIsSaidOfThePicture() async throws {
    let seen = Locked<[Image]>([])
    let looking = TransformerPipeline.closure(key: "Look()") { image in
      seen.withLock { $0.append(image) }
      return image
    }
    let result = try looking.transformAllFrames(of: picture(moves: true), work: WorkContext())
    _ = try result.frames?.frame(at: 2)
    let images = seen.withLock { $0 }
    #expect(images.count == 2)
    for image in images {
      #expect(image.format == .gif && image.scaleFactor == 2 && image.metadata.exif == secret && !image.isAnimated)
    }
  }

  @Test func anImageThatStatesNothingTakesEverythingOver() throws {
    let original = try picture(moves: false)
    let copy = Image(original.bitmap).inheriting(from: original)
    #expect(copy.metadata == original.metadata && copy.format == original.format && copy.scaleFactor == 2)
    var changed = Image(original.bitmap)
    changed.format = nil
    changed.scaleFactor = 1
    changed = changed.inheriting(from: original)
    #expect(changed.format == nil && changed.scaleFactor == 1 && changed.metadata == original.metadata)
  }

  @Test func framesOutOfRangeAreErrorsAndLastNoTime() throws {
    let source = try #require(
      try Self.bare.transformAllFrames(of: picture(moves: true), work: WorkContext()).frames)
    let preloaded = try PreloadedFrames(source, budget: 1 << 20, work: WorkContext())
    for frames in [source, preloaded] as [any FrameSource] {
      for index in [-1, 3, Int.max] {
        #expect(frames.duration(at: index) == .zero)
        #expect(throws: ImageError.self) { try frames.frame(at: index) }
      }
      #expect(frames.duration(at: 2) == .milliseconds(20))
    }
  }

  // MARK: The first frame alone

  @Test func theFirstFrameAloneIsTransformedAndWhatIsStoredStillMoves() async throws {
    let studio = Studio()
    studio.place(.moving)
    let context: ImageContext = [.transformer([.custom(TaggingTransformer(5)), .custom(TaggingTransformer(6))])]
    let expected = try ToyImage.moving.expectedBitmap(frame: 0).withUnsafeBytes { ($0[0] &* 31 &+ 5) &* 31 &+ 6 }
    for source in [ImageEvent.Source.network, .memory] {
      let still = try await studio.warm(url, .firstFrameOnly, context)
      #expect(still.source == source && !still.image.isAnimated)
      #expect(still.image.bitmap.withUnsafeBytes { $0[0] } == expected)
      #expect(still.image.traits.contains(.transformed))
    }
    #expect(studio.manager.cachedImage(for: url, options: .firstFrameOnly, context: context) == nil)
    let moving = try await studio.result(url, [], context)
    #expect(moving.source == .memory && moving.image.isAnimated)
    #expect(try moving.image.bitmap == ToyImage.moving.expectedBitmap())
    #expect(studio.memory.entries.values.allSatisfy { $0.image?.isAnimated != false })
  }

  @Test func theBytesOfATransformedFirstFrameAreItsOwn() async throws {
    let studio = Studio()
    studio.place(.moving)
    let context: ImageContext = [.transformer(.custom(TaggingTransformer(5)))]
    let result = try await studio.result(url, [.firstFrameOnly, .includeData], context)
    let bytes = try #require(result.bytes)
    let decoded = try ToyCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
    #expect(decoded.bitmap == result.image.bitmap && !decoded.isAnimated)
  }

  @Test func theFirstFrameOfAPictureWhoseFramesAreTransformedIsThatOne() async throws {
    let studio = Studio()
    studio.place(.moving)
    let tag = TaggingTransformer(5)
    let result = try await studio.result(
      url, [.firstFrameOnly, .transformAnimated], [.transformer(.custom(tag))])
    #expect(TaggingTransformer.tags(of: result.image) == [5] && !result.image.isAnimated)
  }

  // MARK: Codes

  @Test func aFrameThatFailsWhilePreloadingIsBadData() async throws {
    struct Torn: Error {}
    struct TornFrames: FrameSource {
      let count = 2
      let loopCount = 0
      let canvasSize = PixelSize(width: 4, height: 4)
      let memoryCost = 0
      func duration(at index: Int) -> Duration { .zero }
      func frame(at index: Int) throws -> Bitmap { throw Torn() }
    }
    let studio = Studio()
    let bitmap = try Bitmap(size: PixelSize(width: 4, height: 4), format: .opaqueRGBA8)
    studio.loader.script(url, .image(Image(bitmap, frames: TornFrames())))
    let error = await studio.failure(url, .preloadAllFrames, [.storeLayers(.memory)])
    #expect(error?.code == .badImageData && error?.underlyingError is Torn)
  }

  @Test func preloadingTheFramesOfASourceThatHasNoneIsHarmless() throws {
    for count in [0, -1] {
      let frames = try PreloadedFrames(ClaimedFrames(count: count), budget: 1000, work: WorkContext())
      #expect(frames.totalDuration == .zero && frames.memoryCost == 0)
    }
  }

  @Test func aLimitThatATransformerHitsStaysOneAndBlocksNobody() async throws {
    let studio = Studio()
    studio.place(.small)
    let failing = TaggingTransformer(1, failure: ImageError(.limitExceeded, "Too large."))
    for _ in 0..<2 {
      let error = await studio.failure(url, [], [.transformer(.custom(failing))])
      #expect(error?.code == .limitExceeded && error?.message == "Too large.")
    }
  }

  @Test func bytesThatCannotBeWrittenAreAnErrorOfEncoding() async throws {
    let studio = Studio { $0.coder = CoderRegistry([BentCoder()]) }
    studio.place(.small)
    let context: ImageContext = [.transformer(.custom(TaggingTransformer(1)))]
    #expect(await studio.failure(url, .includeData, context)?.code == .encodeFailed)
  }
}
