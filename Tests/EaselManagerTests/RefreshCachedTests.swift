import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The results of `refreshCached` for each answer of the server.
struct RefreshCachedTests {
  let url = URL(string: "http://host/a.toy")!
  let newer = ToyImage(width: 5, height: 5, seed: 9)

  /// A studio whose caches have the small picture with validators, and whose server then follows the script.
  private func studio(then script: FakeLoader.Script, clearingMemory: Bool = false) async throws -> Studio {
    let studio = Studio()
    let headers: HTTPHeaders = ["ETag": "\"one\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers), script)
    try await studio.warm(url)
    if clearingMemory { studio.memory.removeAll() }
    return studio
  }

  /// The pictures of the `cached` events and the result.
  private func refreshed(_ studio: Studio) async throws -> (cached: [Image], result: ImageResult) {
    let task = studio.manager.load(url, options: .refreshCached)
    let events = studio.events(of: task)
    let result = try await task.result
    return (await events.value.compactMap(\.cached), result)
  }

  @Test(arguments: [false, true]) func aNotModifiedKeepsTheCachedPicture(_ throughSink: Bool) async throws {
    let script = throughSink ? FakeLoader.Script.status(304) : .notModified()
    let studio = try await studio(then: script)
    let (cached, result) = try await refreshed(studio)
    #expect(try cached.map(\.bitmap) == [ToyImage.small.expectedBitmap()])
    #expect(result.source == .revalidated)
    #expect(result.response?.status == 304)
    #expect(result.revalidationError == nil)
    #expect(try result.image.bitmap == ToyImage.small.expectedBitmap())
    let fields = studio.loader.calls(for: url)[1].request.headers
    #expect(fields["If-None-Match"] == "\"one\"")
    #expect(fields["If-Modified-Since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test func aNotModifiedIsGoodWhateverStatusesAreAccepted() async throws {
    let studio = Studio { $0.acceptedStatuses = 200...200 }
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale()), .status(304))
    try await studio.warm(url)
    #expect(try await studio.result(url, .refreshCached).source == .revalidated)
  }

  @Test(arguments: [false, true]) func aNewBodyReplacesTheCachedPicture(_ clearingMemory: Bool) async throws {
    let studio = try await studio(then: .body(newer.bytes), clearingMemory: clearingMemory)
    let (cached, result) = try await refreshed(studio)
    #expect(try cached.map(\.bitmap) == [ToyImage.small.expectedBitmap()])
    #expect(result.source == .network)
    #expect(try result.image.bitmap == newer.expectedBitmap())
    await studio.settle()
    #expect(try studio.manager.cachedImage(for: url)?.bitmap == newer.expectedBitmap())
    #expect(try studio.disk.entries[result.key]?.bytes?.data() == newer.imageBytes.data())
  }

  @Test(arguments: [
    FakeLoader.Script.failure(ImageError(.network, "Lost.")), .failure(ImageError(.timedOut, "Late.")), .status(500),
    .status(503),
  ])
  func aServerInTroubleLeavesTheCachedPicture(_ script: FakeLoader.Script) async throws {
    let studio = try await studio(then: script)
    let (cached, result) = try await refreshed(studio)
    #expect(cached.count == 1)
    #expect(try result.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(result.source == .memory)
    #expect([.network, .timedOut, .badStatus].contains(result.revalidationError?.code))
  }

  @Test(arguments: [
    (FakeLoader.Script.status(404), ImageError.Code.badStatus), (.body([1, 2, 3]), .unsupportedFormat),
    (.failure(ImageError(.unsupportedURL, "No.")), .unsupportedURL),
  ])
  func anyOtherFailureIsTheResult(_ script: FakeLoader.Script, _ code: ImageError.Code) async throws {
    let studio = try await studio(then: script)
    #expect(await studio.failure(url, .refreshCached)?.code == code)
    // Loads without refreshing still get the old picture.
    #expect(try await studio.result(url).source == .memory)
  }

  @Test func theAsyncFormWaitsForTheServer() async throws {
    let studio = try await studio(then: .body(newer.bytes))
    studio.loader.suspend(url)
    let image = Task { try await studio.manager.image(for: url, options: .refreshCached) }
    await studio.loader.waitUntilSuspended(url)
    studio.loader.resume(url)
    #expect(try await image.value.bitmap == newer.expectedBitmap())
  }

  @Test func withoutACachedPictureItLoads() async throws {
    let studio = Studio()
    studio.place(.small)
    let (cached, result) = try await refreshed(studio)
    #expect(cached.isEmpty && result.source == .network)
    #expect(studio.loader.calls(for: url)[0].request.headers.isEmpty)
  }

  @Test func withoutValidatorsItLoadsAnew() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes), .body(newer.bytes))
    try await studio.warm(url)
    let (cached, result) = try await refreshed(studio)
    #expect(cached.count == 1)
    #expect(try result.image.bitmap == newer.expectedBitmap())
  }

  @Test func theCachedPictureIsFittedToItsCaller() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.moving.bytes, headers: .stale()), .notModified())
    try await studio.warm(url)
    let task = studio.manager.load(url, options: [.refreshCached, .firstFrameOnly], context: [.scaleFactor(2)])
    let events = studio.events(of: task)
    _ = try await task.image
    let cached = try #require(await events.value.compactMap(\.cached).first)
    #expect(!cached.isAnimated && cached.scaleFactor == 2)
  }

  @Test func itShowsNoPreviews() async throws {
    let studio = Studio { $0.minimumPreviewInterval = .zero }
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale()), .body(newer.bytes, chunkSize: 30))
    try await studio.warm(url)
    let task = studio.manager.load(url, options: [.refreshCached, .progressive])
    let events = studio.events(of: task)
    _ = try await task.image
    #expect(await events.value.compactMap(\.preview).isEmpty)
    #expect(studio.coder.counts.previews == 0)
  }

  @Test func aVariantIsRefreshedByTheRecordOfItsOriginal() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale()), .notModified(), .body(newer.bytes))
    let context: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
    try await studio.warm(url, [], context)
    #expect(try await studio.warm(url, .refreshCached, context).source == .revalidated)
    let fresh = try await studio.warm(url, .refreshCached, context)
    #expect(fresh.source == .network)
    #expect(fresh.image.size == PixelSize(width: 4, height: 4))
    #expect(studio.loader.callCount == 3)
  }
}
