import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Encoded bytes are as fresh as their original, from either layer, and with or without a change of pixels.
struct EncodedHTTPTests {
  private let url = URL(string: "http://host/a.toy")!
  private let newer = ToyImage(width: 16, height: 16, seed: 9)

  enum Way: CaseIterable, Sendable {
    case plain, plainFromDisk, variant, variantFromDisk, untouched, untouchedFromDisk

    var context: ImageContext {
      switch self {
      case .variant, .variantFromDisk: [.thumbnailSize(PixelSize(width: 4, height: 4))]
      default: []
      }
    }
    var recipe: EncodeRecipe { self == .untouched || self == .untouchedFromDisk ? .toy : .print }
    var forgetsMemory: Bool { [.plainFromDisk, .variantFromDisk, .untouchedFromDisk].contains(self) }
    var source: ImageEvent.Source { forgetsMemory ? .disk : .memory }
  }

  private func studio(
    _ way: Way, _ headers: HTTPHeaders, then scripts: FakeLoader.Script...
  ) async throws -> (Studio, EncodedImage) {
    let studio = Studio { $0.cachePolicy = .http }
    let first = FakeLoader.Script.body(ToyImage.small.bytes, headers: headers)
    switch scripts.count {
    case 0: studio.loader.script(url, first)
    case 1: studio.loader.script(url, first, scripts[0])
    default: studio.loader.script(url, first, scripts[0], scripts[1])
    }
    let encoded = try await ask(studio, way)
    if way.forgetsMemory { studio.memory.removeAll() }
    return (studio, encoded)
  }

  @discardableResult
  private func ask(_ studio: Studio, _ way: Way, _ options: ImageOptions = []) async throws -> EncodedImage {
    try await studio.warmEncoded(url, as: way.recipe, options, way.context)
  }

  @Test(arguments: Way.allCases) func whatIsFreshIsUsedAndWhatIsStaleIsRevalidated(_ way: Way) async throws {
    let (studio, first) = try await studio(
      way, .stale(after: 60), then: .notModified(headers: ["Cache-Control": "max-age=100"]), .body(newer.bytes))
    let encodes = studio.coder.counts.encodes
    studio.clock.advance(by: .seconds(59))
    #expect(try await ask(studio, way).source == way.source)
    let request = ImageRequest(url: url, context: way.context)
    #expect(studio.manager.cachedEncoded(for: request, as: way.recipe) != nil)
    studio.clock.advance(by: .seconds(1))
    #expect(studio.manager.cachedEncoded(for: request, as: way.recipe) == nil)
    let confirmed = try await ask(studio, way)
    #expect(confirmed.source == .revalidated && confirmed.entityTag == first.entityTag)
    #expect(confirmed.record.response?.headers["Cache-Control"] == "max-age=100")
    #expect(studio.loader.calls(for: url).last?.request.headers["If-None-Match"] == "\"one\"")
    studio.clock.advance(by: .seconds(99))
    if way.forgetsMemory { studio.memory.removeAll() }
    #expect(try await ask(studio, way).source == way.source)
    #expect(studio.coder.counts.encodes == encodes)
    studio.clock.advance(by: .seconds(1))
    let last = try await ask(studio, way)
    #expect(last.source == .network && last.entityTag != first.entityTag)
    #expect(studio.loader.callCount == 3)
  }

  @Test(arguments: Way.allCases) func noStoreStaysOutOfEveryLayer(_ way: Way) async throws {
    let (studio, _) = try await studio(way, ["Cache-Control": "no-store"])
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    #expect(try await ask(studio, way).source == .network)
  }

  @Test(arguments: Way.allCases) func aNewOriginalTakesAlongTheBytesOfTheOldOne(_ way: Way) async throws {
    let (studio, first) = try await studio(way, .stale(after: 60), then: .body(newer.bytes, headers: .stale(after: 60)))
    // Somebody else loads the original anew, as a picture.
    _ = try await studio.warm(url, .fromLoaderOnly)
    #expect(studio.memory.entries[first.key] == nil && studio.disk.entries[first.key] == nil || way.recipe == .toy)
    let second = try await ask(studio, way)
    #expect(second.entityTag != first.entityTag)
    #expect(studio.loader.callCount == 2)
  }

  @Test(arguments: Way.allCases) func aStaleResultIsDeliveredWhileItIsRefreshed(_ way: Way) async throws {
    let (studio, first) = try await studio(
      way, .stale(after: 10, "stale-while-revalidate=60"), then: .body(newer.bytes, headers: .stale(after: 60)))
    studio.clock.advance(by: .seconds(20))
    studio.loader.suspend(url, at: .end)
    let stale = try await studio.encoded(url, as: way.recipe, [], way.context)
    #expect(stale.source == way.source && stale.entityTag == first.entityTag)
    await studio.loader.waitUntilSuspended(url, at: .end)
    studio.loader.resume(url, at: .end)
    await studio.manager.background.wait()
    await studio.settle()
    let fresh = try await ask(studio, way)
    #expect(fresh.entityTag != first.entityTag && fresh.source == .memory)
    #expect(studio.loader.callCount == 2)
  }

  @Test(arguments: Way.allCases) func aServerThatFailsLeavesTheStaleBytesInUse(_ way: Way) async throws {
    let (studio, first) = try await studio(way, .stale(after: 10, "stale-if-error=60"), then: .status(503))
    studio.clock.advance(by: .seconds(20))
    let stale = try await studio.warmEncoded(
      url, as: way.recipe, [], way.context)
    #expect(stale.entityTag == first.entityTag && stale.revalidationError?.status == 503)
  }

  @Test func aURLThatFailedIsNotAskedAgain() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1, 2, 3]))
    #expect(await studio.encodedFailure(url)?.code == .unsupportedFormat)
    #expect(await studio.encodedFailure(url)?.code == .blockedURL)
    // What fails for bytes fails for pictures.
    #expect(await studio.failure(url)?.code == .blockedURL)
    #expect(studio.loader.callCount == 1)
    studio.loader.script(url, .body(ToyImage.small.bytes))
    #expect(try await studio.warmEncoded(url, as: .print, .retryFailed).source == .network)
    #expect(try await studio.warmEncoded(url).source == .memory)
  }

  @Test func aFallbackIsLoadedAndHasTheKeyOfItsOwnURL() async throws {
    let studio = Studio()
    let other = studio.place(.small, at: "http://host/b.toy")
    studio.loader.script(url, .status(404))
    var request = ImageRequest(url: url)
    request.fallbackURLs = [other]
    let encoded = try await studio.manager.encoded(for: request, as: .print)
    #expect(encoded.key.original == "http://host/b.toy")
    await studio.settle()
  }

  @Test func optionsOfTheCacheApplyToBytes() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes))
    #expect(await studio.encodedFailure(url, as: .print, .fromCacheOnly)?.code == .notInCache)
    try await studio.warmEncoded(url, as: .print, [], [.storeLayers(.memory), .originalStoreLayers([])])
    #expect(studio.disk.entries.isEmpty && studio.memory.entries.count == 1)
    #expect(try await studio.warmEncoded(url, as: .print, .fromCacheOnly).source == .memory)
    #expect(try await studio.warmEncoded(url, as: .print, .fromLoaderOnly).source == .network)
    #expect(try await studio.warmEncoded(url, as: .print, .refreshCached).source == .network)
    #expect(try await studio.warmEncoded(url, as: .print, .waitStore, [.queryLayers([])]).source != .memory)
  }

  @Test func whoWaitsForStoresFindsThemOnDisk() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes))
    let encoded = try await studio.encoded(url, as: .print, .waitStore)
    #expect(studio.disk.entries[encoded.key] != nil)
  }
}
