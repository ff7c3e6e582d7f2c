import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The policy `.http` through the manager: for an original, for a variant, and from either layer.
struct HTTPPolicyTests {
  /// The requested picture, and whether memory forgets it before the second load.
  enum Way: CaseIterable, Sendable {
    case plain, plainFromDisk, variant, variantFromDisk

    var context: ImageContext {
      switch self {
      case .plain, .plainFromDisk: []
      case .variant, .variantFromDisk: [.thumbnailSize(PixelSize(width: 4, height: 4))]
      }
    }
    var forgetsMemory: Bool { self == .plainFromDisk || self == .variantFromDisk }
  }

  private let url = URL(string: "http://host/a.toy")!
  private let newer = ToyImage(width: 16, height: 16, seed: 9)

  private func studio(_ way: Way, _ headers: HTTPHeaders, then scripts: FakeLoader.Script...) async throws -> Studio {
    let studio = Studio { $0.cachePolicy = .http }
    let first = FakeLoader.Script.body(ToyImage.small.bytes, headers: headers)
    switch scripts.count {
    case 0: studio.loader.script(url, first)
    case 1: studio.loader.script(url, first, scripts[0])
    default: studio.loader.script(url, first, scripts[0], scripts[1])
    }
    try await studio.warm(url, [], way.context)
    if way.forgetsMemory { studio.memory.removeAll() }
    return studio
  }

  @Test(arguments: Way.allCases) func whatIsFreshIsUsedAndWhatIsStaleIsRevalidated(_ way: Way) async throws {
    let studio = try await studio(
      way, .stale(after: 60), then: .notModified(headers: ["Cache-Control": "max-age=100"]), .body(newer.bytes))
    studio.clock.advance(by: .seconds(59))
    #expect(try await studio.warm(url, [], way.context).source == (way.forgetsMemory ? .disk : .memory))
    #expect(studio.manager.cachedImage(for: url, context: way.context) != nil)
    studio.clock.advance(by: .seconds(1))
    #expect(studio.manager.cachedImage(for: url, context: way.context) == nil)
    #expect(try await studio.warm(url, [], way.context).source == .revalidated)
    #expect(studio.loader.calls(for: url).last?.request.headers["If-None-Match"] == "\"one\"")
    // The 304 renewed the records of both layers.
    studio.clock.advance(by: .seconds(99))
    if way.forgetsMemory { studio.memory.removeAll() }
    #expect(try await studio.warm(url, [], way.context).source == (way.forgetsMemory ? .disk : .memory))
    studio.clock.advance(by: .seconds(1))
    #expect(try await studio.warm(url, [], way.context).source == .network)
    #expect(studio.loader.callCount == 3)
  }

  @Test(arguments: Way.allCases) func noStoreStaysOutOfEveryLayer(_ way: Way) async throws {
    let studio = try await studio(way, ["Cache-Control": "no-store"])
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    #expect(try await studio.warm(url, [], way.context).source == .network)
  }

  private static let refusals = [
    FakeLoader.Script.body(ToyImage(width: 16, height: 16, seed: 9).bytes, headers: ["Cache-Control": "no-store"]),
    .body(ToyImage.small.bytes, headers: ["Vary": "*"]),
    .notModified(headers: ["Cache-Control": "no-store"]),
  ]

  @Test(arguments: Way.allCases, refusals.indices)
  func anAnswerThatMayNotBeKeptTakesAlongWhatIsKept(_ way: Way, _ index: Int) async throws {
    let studio = try await studio(way, .stale(after: 10), then: Self.refusals[index])
    // Loads another variant of the same original, from the bytes on disk.
    try await studio.warm(url, [], [.thumbnailSize(PixelSize(width: 2, height: 2))])
    #expect(studio.loader.callCount == 1 && !studio.disk.entries.isEmpty)
    studio.clock.advance(by: .seconds(10))
    try await studio.warm(url, .waitStore, way.context)
    #expect(studio.loader.callCount == 2)
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test(arguments: [FakeLoader.Script.body([1, 2, 3]), .notModified(headers: ["Cache-Control": "max-age=600"])])
  func aRequestThatWantsNothingStoredLeavesWhatIsThere(_ script: FakeLoader.Script) async throws {
    let studio = try await studio(.plain, .stale(after: 10), then: script, .notModified())
    let before = studio.disk.entries.mapValues(\.record)
    studio.clock.advance(by: .seconds(10))
    let request = ImageRequest(url: url, context: [.headers(["Cache-Control": "no-store"])])
    _ = try await studio.manager.bytes(for: request)
    await studio.settle()
    #expect(studio.disk.entries.mapValues(\.record) == before && before.count == 1)
    #expect(try await studio.warm(url).source == .revalidated)
  }

  /// The request that counts is the one that was sent, with what a modifier and the loader add.
  @Test(arguments: Way.allCases, [true, false])
  func aNoStoreThatIsAddedToTheRequestCountsToo(_ way: Way, isTheLoaders: Bool) async throws {
    for policy in [CachePolicy.http, .forever] {
      let studio = Studio {
        $0.cachePolicy = policy
        if !isTheLoaders { $0.requestModifier = .headers(["Cache-Control": "max-age=9, No-Store"]) }
      }
      var head = ResponseHead(
        status: 200, headers: ["Cache-Control": "max-age=600"], expectedLength: ToyImage.small.bytes.count)
      if isTheLoaders { head.sentFields = ["cache-control": "no-store"] }
      studio.loader.script(url, FakeLoader.Script([.head(head), .chunk(ToyImage.small.bytes)]))
      try await studio.warm(url, [], way.context)
      #expect(studio.memory.entries.isEmpty == (policy == .http) && studio.disk.entries.isEmpty == (policy == .http))
      #expect(try await studio.warm(url, [], way.context).source == (policy == .http ? .network : .memory))
      let bytes = try await studio.manager.encoded(for: ImageRequest(url: url), as: EncodeRecipe(ToyImage.format))
        .bytes
      #expect(bytes.count > 0)
      await studio.settle()
      #expect(studio.memory.entries.isEmpty == (policy == .http) && studio.disk.entries.isEmpty == (policy == .http))
    }
  }

  @Test(arguments: [FakeLoader.Script.body([1, 2, 3]), .notModified(headers: ["Cache-Control": "max-age=600"])])
  func aNoStoreThatAModifierAddsLeavesWhatIsThere(_ script: FakeLoader.Script) async throws {
    let isAdding = Locked(false)
    let studio = Studio {
      $0.cachePolicy = .http
      $0.requestModifier = .closure(cacheIdentity: .plain) { request in
        var request = request
        if isAdding.withLock({ $0 }) { request.headers["Cache-Control"] = "no-store" }
        return request
      }
    }
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale(after: 10)), script, .notModified())
    try await studio.warm(url)
    let before = studio.disk.entries.mapValues(\.record)
    studio.clock.advance(by: .seconds(10))
    isAdding.withLock { $0 = true }
    _ = try await studio.manager.bytes(for: ImageRequest(url: url))
    await studio.settle()
    #expect(studio.disk.entries.mapValues(\.record) == before && before.count == 1)
    isAdding.withLock { $0 = false }
    #expect(try await studio.warm(url).source == .revalidated)
  }

  /// RFC 9111 section 4: a stored response that is handed out says how old it is.
  @Test(arguments: Way.allCases) func whatIsHandedOutSaysItsAge(_ way: Way) async throws {
    let studio = try await studio(
      way, ["Cache-Control": "max-age=600", "Age": "5", "X-Own": "1"], then: .body(newer.bytes))
    studio.clock.advance(by: .seconds(30))
    let result = try await studio.result(url, [], way.context)
    #expect(result.source == (way.forgetsMemory ? .disk : .memory))
    #expect(result.response?.status == 200 && result.response?.headers["X-Own"] == "1")
    #expect(result.response?.headers.values(of: "Age") == ["35"])
    let request = ImageRequest(url: url, context: way.context)
    for _ in 0..<2 {
      let encoded = try await studio.manager.encoded(for: request, as: EncodeRecipe(ToyImage.format))
      #expect(encoded.response?.headers.values(of: "Age") == ["35"])
    }
    // A response that has just come has the age that its server states.
    #expect(try await studio.warm(url, .fromLoaderOnly, way.context).response?.headers["Age"] == nil)
  }

  @Test func bytesThatMayNotBeKeptTakeAlongWhatIsKept() async throws {
    let studio = try await studio(.variant, .stale(after: 10), then: Self.refusals[0])
    studio.clock.advance(by: .seconds(10))
    _ = try await studio.manager.bytes(for: ImageRequest(url: url))
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func whatMayNotBeKeptIsKeptUnderThePolicyForever() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(newer.bytes, headers: ["Cache-Control": "no-store"]))
    try await studio.warm(url)
    #expect(studio.memory.entries.count == 1 && studio.disk.entries.count == 1)
  }

  @Test(arguments: Way.allCases) func noCacheIsKeptAndAlwaysAskedAbout(_ way: Way) async throws {
    let studio = try await studio(
      way, ["Cache-Control": "no-cache, max-age=600", "ETag": "\"1\""], then: .notModified())
    for _ in 0..<2 { #expect(try await studio.warm(url, [], way.context).source == .revalidated) }
  }

  @Test(arguments: Way.allCases) func withoutValidatorsAStalePictureIsLoadedAnew(_ way: Way) async throws {
    let studio = try await studio(way, ["Cache-Control": "max-age=5"], then: .body(newer.bytes))
    studio.clock.advance(by: .seconds(5))
    #expect(try await studio.warm(url, [], way.context).source == .network)
    #expect(studio.loader.calls(for: url)[1].request.headers.isEmpty)
  }

  @Test(arguments: Way.allCases) func whatVariesIsAMissAndReplacesTheEntry(_ way: Way) async throws {
    let headers: HTTPHeaders = ["Vary": "Accept-Language", "Cache-Control": "max-age=600"]
    let studio = Studio { $0.cachePolicy = .http }
    studio.loader.script(
      url, .body(ToyImage.small.bytes, headers: headers), .body(newer.bytes, headers: headers))
    var german = way.context
    german[.headers] = ["Accept-Language": "de"]
    var english = way.context
    english[.headers] = ["Accept-Language": "en"]
    try await studio.warm(url, [], german)
    if way.forgetsMemory { studio.memory.removeAll() }
    #expect(studio.manager.cachedImage(for: url, context: english) == nil)
    let second = try await studio.warm(url, [], english)
    #expect(second.source == .network)
    if way.forgetsMemory { studio.memory.removeAll() }
    #expect(try await studio.warm(url, [], english).source != .network)
    #expect(try await studio.warm(url, [], german).source == .network)
  }

  @Test func loadsOfDifferentFieldsDoNotShareATransfer() async throws {
    let studio = Studio { $0.cachePolicy = .http }
    studio.place(.small)
    studio.loader.suspend(url)
    let tasks = ["de", "en"].map { language in
      studio.manager.load(url, context: [.headers(["Accept-Language": language])])
    }
    await studio.loader.waitUntilSuspended(url, count: 2)
    studio.loader.resume(url)
    for task in tasks { _ = try await task.image }
    #expect(Set(studio.loader.calls(for: url).map { $0.request.headers["Accept-Language"] }) == ["de", "en"])
  }

  @Test(arguments: Way.allCases) func varyingWithEverythingIsNotStored(_ way: Way) async throws {
    let studio = try await studio(way, ["Vary": "*", "Cache-Control": "max-age=600"])
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test(arguments: Way.allCases) func staleWhileRevalidateAnswersAtOnceAndAsksAside(_ way: Way) async throws {
    let studio = try await studio(
      way, .stale(after: 10, "stale-while-revalidate=20"),
      then: .notModified(headers: ["Cache-Control": "max-age=1000"]))
    studio.clock.advance(by: .seconds(15))
    studio.loader.suspend(url)
    let result = try await studio.result(url, [], way.context)
    #expect(result.source == (way.forgetsMemory ? .disk : .memory))
    await studio.loader.waitUntilSuspended(url)
    studio.loader.resume(url)
    await studio.loader.waitForEnd(of: url, call: 2)
    await studio.manager.background.wait()
    await studio.settle()
    #expect(studio.manager.cachedImage(for: url, context: way.context) != nil)
    studio.clock.advance(by: .seconds(500))
    #expect(studio.manager.cachedImage(for: url, context: way.context) != nil)
    #expect(studio.loader.callCount == 2)
  }

  @Test func aURLThatMustNotBeLoadedIsNotAskedForInTheBackground() async throws {
    let mayLoad = Watched(true)
    let studio = Studio {
      $0.cachePolicy = .http
      $0.shouldLoad = { _ in mayLoad.withLock { $0 } }
    }
    studio.loader.script(
      url, .body(ToyImage.small.bytes, headers: .stale(after: 10, "stale-while-revalidate=20")))
    try await studio.warm(url, [], [])
    studio.clock.advance(by: .seconds(15))
    mayLoad.withLock { $0 = false }
    #expect(try await studio.result(url).source == .memory)
    await studio.manager.background.wait()
    #expect(studio.loader.callCount == 1)
    let cachesOnly: ImageContext = [.headers(["Cache-Control": "only-if-cached"])]
    mayLoad.withLock { $0 = true }
    #expect(try await studio.result(url, [], cachesOnly).source == .memory)
    await studio.manager.background.wait()
    await studio.settle()
    #expect(studio.loader.callCount == 1)
  }

  @Test(arguments: ["max-age=10", "max-age=10, stale-while-revalidate=100"])
  func whoAsksForALaterEndOfFreshnessGetsTheServersAnswer(control: String) async throws {
    let studio = Studio { $0.cachePolicy = .http }
    studio.loader.script(
      url, .body(ToyImage.small.bytes, headers: ["Cache-Control": control, "ETag": "\"a\""]), .notModified())
    try await studio.warm(url, [], [])
    #expect(try await studio.result(url, [], [.headers(["Cache-Control": "min-fresh=5"])]).source == .memory)
    #expect(try await studio.result(url, [], [.headers(["Cache-Control": "min-fresh=20"])]).source == .revalidated)
    #expect(studio.loader.callCount == 2)
  }

  @Test func staleWhileRevalidateBringsTheNewPictureForTheNextTime() async throws {
    let studio = try await studio(.plain, .stale(after: 10, "stale-while-revalidate=20"), then: .body(newer.bytes))
    studio.clock.advance(by: .seconds(15))
    #expect(try await studio.result(url).image.bitmap == ToyImage.small.expectedBitmap())
    await studio.loader.waitForEnd(of: url, call: 2)
    await studio.manager.background.wait()
    await studio.settle()
    #expect(try studio.memory.entries[CacheKey(original: url.absoluteString)]?.image?.bitmap == newer.expectedBitmap())
  }

  @Test(
    arguments: Way.allCases,
    [
      FakeLoader.Script.failure(ImageError(.network, "Lost.")), .status(503), .status(404),
    ])
  func staleIfErrorAnswersWhenTheServerIsInTrouble(_ way: Way, _ script: FakeLoader.Script) async throws {
    let studio = try await studio(way, .stale(after: 10, "stale-if-error=20"), then: script)
    studio.clock.advance(by: .seconds(15))
    var isTrouble = true
    if case .head(let head) = script.steps.first { isTrouble = head.status == 503 }
    if isTrouble {
      let result = try await studio.result(url, [], way.context)
      #expect(result.revalidationError != nil)
      #expect(result.source == (way.forgetsMemory ? .disk : .memory))
      studio.clock.advance(by: .seconds(15))
    }
    #expect(await studio.failure(url, [], way.context) != nil)
  }

  @Test(arguments: Way.allCases) func whatMustBeRevalidatedIsNeverStale(_ way: Way) async throws {
    let studio = try await studio(
      way, .stale(after: 10, "must-revalidate, stale-if-error=99, stale-while-revalidate=99"),
      then: .failure(ImageError(.network, "Lost.")))
    studio.clock.advance(by: .seconds(15))
    #expect(await studio.failure(url, [], way.context)?.code == .network)
  }

  @Test func fromCacheOnlyDoesNotServeWhatIsStale() async throws {
    let studio = try await studio(.plain, .stale(after: 10))
    studio.clock.advance(by: .seconds(10))
    #expect(await studio.failure(url, .fromCacheOnly)?.code == .notInCache)
  }

  @Test func foreverAsksNobody() async throws {
    let studio = try await studio(.plain, .stale(after: 0))
    #expect(try await studio.result(url, [], [.cachePolicy(.forever)]).source == .memory)
  }

  @Test func whatDidNotComeByHTTPIsAlwaysFresh() async throws {
    let studio = Studio { $0.cachePolicy = .http }
    studio.loader.script(url, .ready(ToyImage.small.imageBytes))
    try await studio.warm(url)
    studio.clock.advance(by: .seconds(1_000_000))
    #expect(try await studio.result(url).source == .memory)
  }
}
