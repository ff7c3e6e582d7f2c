import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The effects of settings that no other test covers.
struct SettingTests {
  let url = URL(string: "http://host/a.toy")!

  @Test func originalsGoToTheCacheOfTheirOwn() async throws {
    let originals = RecordingCache("originals")
    let studio = Studio { $0.originalCache = originals }
    studio.place(.small)
    let result = try await studio.warm(url, [], [.thumbnailSize(PixelSize(width: 4, height: 4))])
    #expect(Set(originals.entries(in: .disk).keys) == [result.key.originalKey])
    #expect(Set(studio.disk.entries.keys) == [result.key])
  }

  @Test func aFailedURLIsForgottenAfterItsLifetime() async throws {
    let studio = Studio { $0.failedURLLifetime = .seconds(7) }
    studio.loader.script(url, .body([1, 2, 3]))
    #expect(await studio.failure(url)?.code == .unsupportedFormat)
    studio.clock.advance(by: .seconds(6))
    #expect(await studio.failure(url)?.code == .blockedURL)
    studio.clock.advance(by: .seconds(2))
    #expect(await studio.failure(url)?.code == .unsupportedFormat)
  }

  @Test func theLimitOfBytesInTheContextWorksAlone() async throws {
    let studio = Studio()
    studio.place(ToyImage(width: 32, height: 32))
    let result = try await studio.result(url, [], [.scaleDownLimitBytes(1024)])
    #expect(result.image.size == PixelSize(width: 16, height: 16))
    #expect(result.key.readable == "http://host/a-ScaleDown(1024).toy")
  }

  @Test(arguments: [true, false]) func theFirstFrameIsAllThatIsMadeAndStored(coderObeys: Bool) async throws {
    let coder = BentCoder(image: { if coderObeys { $0.frames = nil } })
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    studio.place(.moving)
    let context: ImageContext = [.decodeOptions(DecodeOptions(firstFrameOnly: true))]
    let first = try await studio.warm(url, [], context)
    #expect(!first.image.isAnimated && first.key.readable == "http://host/a-FirstFrame(1).toy")
    #expect(coder.toy.decodeOptions.allSatisfy { $0.firstFrameOnly })
    studio.memory.removeAll()
    let stored = try await studio.result(url, [], context)
    #expect(stored.source == .disk && !stored.image.isAnimated)
    #expect(coderObeys || studio.memory.entries[first.key]?.image?.isAnimated == false)
  }

  @Test func transformersRunOnAPictureThatIsToBeStill() async throws {
    let studio = Studio()
    studio.place(.moving)
    let context: ImageContext = [
      .decodeOptions(DecodeOptions(firstFrameOnly: true)),
      .transformer(.custom(TaggingTransformer(1))),
    ]
    let image = try await studio.result(url, [], context).image
    #expect(image.traits.contains(.transformed) && !image.isAnimated)
  }

  @Test(arguments: [
    Limits(downloadBytes: 100), Limits(side: 3), Limits(framePixels: 15), Limits(frames: 2),
    Limits(totalPixels: 47), Limits(metadataBytes: 9),
  ])
  func eachLimitOfAContextBindsItsLoad(_ limits: Limits) async throws {
    let coder = BentCoder(image: { $0.metadata.exif = Data(count: 10) })
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    studio.place(.moving)
    let error = await studio.failure(url, [], [.limits(limits)])
    #expect(error?.code == .limitExceeded)
    #expect(try await studio.result(url).image.isAnimated)
  }

  /// The pixels of all frames only count for what is asked of them.
  @Test(
    arguments: [
      [.decodeOptions(DecodeOptions(firstFrameOnly: true))], [.thumbnailSize(PixelSize(width: 2, height: 2))],
    ] as [ImageContext])
  func framesThatAreNotMadeDoNotCount(_ wish: ImageContext) async throws {
    let coder = BentCoder(image: { _ in })
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    studio.place(.moving)
    let limits: ImageContext = [.limits(Limits(totalPixels: 47))]
    #expect(await studio.failure(url, [], limits)?.code == .limitExceeded)
    var both = limits
    both.merge(wish)
    let image = try await studio.result(url, [], both).image
    #expect(image.isAnimated == (image.size.width == 2))
  }

  @Test func singleStatusesAreAcceptedBesideTheRange() async throws {
    let studio = Studio { $0.alsoAcceptedStatuses = [404, 410] }
    studio.loader.script(url, .body(ToyImage.small.bytes, status: 404))
    #expect(try await studio.result(url).response?.status == 404)
    let other = URL(string: "http://host/b.toy")!
    studio.loader.script(other, .status(403))
    let error = await studio.failure(other)
    #expect(error?.code == .badStatus && error?.message.contains("299 and 404 and 410") == true)
  }

  @Test func workThatLoadsShareIsToldApartFromTheirOwn() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    let sizes = [2, 4, 4].map { PixelSize(width: $0, height: $0) }
    let tasks = sizes.map { studio.manager.load(url, context: [.thumbnailSize($0)]) }
    await studio.loader.waitUntilSuspended(url)
    while studio.manager.transferRuns.waitingCount < 2 { await Task.yield() }
    studio.loader.resume(url)
    for task in tasks { _ = try await task.image }
    let events = studio.observer.events
    let loaded = events.filter { if case .loaded = $0.kind { true } else { false } }
    #expect(loaded.count == 3 && Set(loaded.map(\.run)).count == 1 && loaded.count { !$0.isJoined } == 1)
    let decoded = events.filter { if case .decoded = $0.kind { true } else { false } }
    #expect(decoded.count == 3 && Set(decoded.map(\.run)).count == 2 && decoded.count { !$0.isJoined } == 2)
    for event in events {
      switch event.kind {
      case .started, .succeeded: #expect(event.run == nil && !event.isJoined)
      default: #expect(event.run != nil)
      }
    }
  }

  @Test func siblingsOfOneQuestionGiveOneAnswer() async throws {
    let studio = Studio()
    studio.place(.small)
    let box: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
    let key = studio.manager.cacheKey(for: url, context: box)
    #expect(key == studio.manager.cacheKey(for: ImageRequest(url: url, context: box)) && key?.isVariant == true)
    #expect(studio.manager.cacheKey(for: nil) == nil)
    let bytes = ToyImage.small.imageBytes
    let result = try await studio.manager.result(from: bytes, key: "mine", context: box)
    #expect(studio.manager.cacheKey(forBytesNamed: "mine", context: box) == result.key)
    #expect(try await studio.manager.image(from: bytes, key: "mine", context: box).bitmap == result.image.bitmap)
  }

  @Test func optionsAndLimitsCanBeMadeInOneExpression() {
    var decoding = DecodeOptions()
    decoding.keeps16Bits = true
    #expect(DecodeOptions(keeps16Bits: true) == decoding && DecodeOptions(thumbnailSize: nil) == DecodeOptions())
    var encoding = EncodeOptions()
    encoding.quality = 0.5
    #expect(EncodeOptions(quality: 0.5) == encoding && EncodeOptions(lossless: nil) == EncodeOptions())
    var limits = Limits()
    limits.side = 5
    #expect(Limits(side: 5) == limits && Limits(frames: Limits().frames) == Limits())
  }
}
