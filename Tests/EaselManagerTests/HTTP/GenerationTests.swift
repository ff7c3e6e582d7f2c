import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The fate of variants when the bytes of their original change or are confirmed.
struct GenerationTests {
  private let url = URL(string: "http://host/a.toy")!
  private let newer = ToyImage(width: 16, height: 16, seed: 9)

  private func thumbnail(_ side: Int) -> ImageContext { [.thumbnailSize(PixelSize(width: side, height: side))] }

  @Test(arguments: [ImageOptions.refreshCached, .fromLoaderOnly])
  func newBytesTakeTheVariantsOfTheOldOnesAlong(_ options: ImageOptions) async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale()), .body(newer.bytes))
    try await studio.warm(url)
    for side in [2, 3] { try await studio.warm(url, [], thumbnail(side)) }
    #expect(studio.memory.entries.count == 3 && studio.disk.entries.count == 3)
    let plain = try await studio.warm(url, options)
    #expect(Array(studio.memory.entries.keys) == [plain.key])
    #expect(Array(studio.disk.entries.keys) == [plain.key])
    let small = try await studio.warm(url, [], thumbnail(3))
    #expect(small.source == .disk)
    let whole = try await Studio.thumbnail(of: newer, side: 3)
    #expect(small.image.bitmap == whole.bitmap)
  }

  @Test func newBytesOfAVariantReplaceTheOriginalAndItsOtherVariants() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale()), .body(newer.bytes))
    try await studio.warm(url)
    try await studio.warm(url, [], thumbnail(2))
    let fresh = try await studio.warm(url, .refreshCached, thumbnail(3))
    #expect(fresh.source == .network)
    #expect(Set(studio.disk.entries.keys) == [fresh.key, fresh.key.originalKey])
    #expect(Set(studio.memory.entries.keys) == [fresh.key])
    #expect(try await studio.result(url).image.size == newer.size)
  }

  @Test func theSameBytesAgainLeaveTheVariants() async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url)
    try await studio.warm(url, [], thumbnail(2))
    try await studio.warm(url, .fromLoaderOnly)
    #expect(studio.memory.entries.count == 2 && studio.disk.entries.count == 2)
  }

  @Test(arguments: [CacheLayers.memory, []])
  func whatIsOnDiskOfOldBytesGoesAlsoWhenTheNewOnesAreNotStoredThere(_ layers: CacheLayers) async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes), .body(newer.bytes))
    try await studio.warm(url)
    try await studio.warm(url, [], thumbnail(2))
    try await studio.warm(url, .fromLoaderOnly, [.storeLayers(layers)])
    #expect(studio.disk.entries.isEmpty)
    #expect(studio.memory.entries.count == (layers.isEmpty ? 0 : 1))
  }

  @Test func newBytesAloneTakeTheVariantsOfTheOldOnesAlongToo() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes), .body(newer.bytes))
    let key = try await studio.warm(url).key
    try await studio.warm(url, [], thumbnail(2))
    _ = try await studio.manager.bytes(for: ImageRequest(url: url, options: .fromLoaderOnly))
    await studio.settle()
    #expect(studio.memory.entries.isEmpty)
    #expect(Array(studio.disk.entries.keys) == [key])
    #expect(try await studio.result(url).image.size == newer.size)
  }

  @Test(arguments: [true, false])
  func aFinishedPictureTakesTheVariantsOfAnotherOneAlong(_ isAnother: Bool) async throws {
    let studio = Studio()
    let first = try Image(ToyImage.small.expectedBitmap())
    let second = try Image(isAnother ? newer.expectedBitmap() : ToyImage.small.expectedBitmap())
    studio.loader.script(url, .image(first), .image(second))
    let plain = try await studio.warm(url)
    let tagged = try await studio.warm(url, [], [.transformer(.custom(TaggingTransformer(1)))])
    try await studio.warm(url, .fromLoaderOnly)
    let left: Set<CacheKey> = isAnother ? [plain.key] : [plain.key, tagged.key]
    #expect(Set(studio.memory.entries.keys) == left)
    #expect(Set(studio.disk.entries.keys) == left)
  }

  @Test func eachMovingPictureHasAGenerationOfItsOwn() throws {
    let still = try Image(ToyImage.small.expectedBitmap())
    var moving = still
    moving.frames = FakeFrameSource(durations: [.seconds(1), .seconds(1)])
    #expect(ContentGeneration.of(still) == ContentGeneration.of(still))
    #expect(ContentGeneration.of(moving) != ContentGeneration.of(moving))
  }

  @Test func theMeaningOfPixelsIsAPartOfTheirGeneration() throws {
    let still = try Image(ToyImage.small.expectedBitmap())
    let numbers = ColorDescription.MasteringDisplay(
      red: .one, green: .zero, blue: .one, white: .one, leastLuminance: 0, greatestLuminance: 5)
    let coding = ColorDescription.Coding(primaries: 9, transfer: 16)
    let described = [
      ColorDescription(coding: coding), ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 18)),
      ColorDescription(coding: coding, masteringDisplay: numbers),
      ColorDescription(coding: coding, contentLight: ColorDescription.ContentLight(greatest: 1, greatestAverage: 2)),
    ].map { color in
      var image = still
      image.metadata.color = color
      return ContentGeneration.of(image)
    }
    let formula = GainMap.Formula(greatestGain: .one, alternateHeadroom: 1)
    let mapped = [(5, formula), (6, formula), (5, GainMap.Formula(greatestGain: .one, alternateHeadroom: 2))].map {
      level, formula in
      var image = still
      var map = try! Bitmap(size: PixelSize(width: 2, height: 1), format: .gray8)
      map.withUnsafeMutableBytes { $0[1] = UInt8(level) }
      image.metadata.gainMap = GainMap(map, formula: formula)
      return ContentGeneration.of(image)
    }
    #expect(Set(described + mapped + [ContentGeneration.of(still)]).count == 8)
    var turned = still
    turned.metadata.orientation = .down
    var raw = still
    raw.metadata.iccProfile = Data([1, 2, 3])
    var premultiplied = still
    premultiplied.bitmap.assumeAlpha(.premultiplied)
    #expect(Set([still, turned, raw, premultiplied].map(ContentGeneration.of)).count == 4)
  }

  @Test func anotherURLIsNoneOfTheirBusiness() async throws {
    let studio = Studio()
    let other = studio.place(.small, at: "http://host/b.toy")
    studio.loader.script(url, .body(ToyImage.small.bytes), .body(newer.bytes))
    try await studio.warm(url)
    try await studio.warm(other, [], thumbnail(2))
    try await studio.warm(url, .fromLoaderOnly)
    #expect(try await studio.result(other, [], thumbnail(2)).source == .memory)
  }

  @Test func oneNotModifiedRenewsTheRecordsOfAll() async throws {
    let studio = Studio { $0.cachePolicy = .http }
    studio.loader.script(
      url, .body(ToyImage.small.bytes, headers: .stale(after: 10)),
      .notModified(headers: ["Cache-Control": "max-age=1000"]))
    try await studio.warm(url)
    for side in [2, 3] { try await studio.warm(url, [], thumbnail(side)) }
    studio.clock.advance(by: .seconds(20))
    #expect(try await studio.warm(url, [], thumbnail(2)).source == .revalidated)
    studio.clock.advance(by: .seconds(500))
    for context in [[], thumbnail(2), thumbnail(3)] as [ImageContext] {
      #expect(try await studio.result(url, [], context).source == .memory)
    }
    studio.memory.removeAll()
    for context in [[], thumbnail(2), thumbnail(3)] as [ImageContext] {
      #expect(try await studio.result(url, [], context).source == .disk)
    }
    #expect(studio.loader.callCount == 2)
  }

  @Test func theSameBytesHaveTheSameGenerationInEveryManager() async throws {
    var generations: Set<UInt64> = []
    for _ in 0..<2 {
      let studio = Studio()
      studio.place(.small)
      let key = try await studio.warm(url).key
      generations.insert(try #require(studio.disk.entries[key]?.record.generation))
    }
    #expect(generations.count == 1)
  }
}

extension Studio {
  /// A thumbnail of a picture, made without any cache.
  fileprivate static func thumbnail(of picture: ToyImage, side: Int) async throws -> Image {
    let studio = Studio()
    return try await studio.result(
      studio.place(picture), [], [.thumbnailSize(PixelSize(width: side, height: side))]
    ).image
  }
}
