import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Requests that may change something on the server are sent each time and never shared; they invalidate the cache.
struct UnsafeMethodTests {
  private let url = URL(string: "http://host/a.toy")!
  private let newer = ToyImage(width: 16, height: 16, seed: 9)
  private let small: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]

  private func request(
    _ method: String = "POST", _ url: URL? = nil, _ options: ImageOptions = [], _ context: ImageContext = []
  ) -> ImageRequest {
    var request = ImageRequest(url: url ?? self.url, options: options, context: context)
    request.method = method
    return request
  }

  /// A studio that has the picture and a variant of it in memory and on disk.
  private func filledStudio(
    _ policy: CachePolicy = .http, at url: URL? = nil, _ context: ImageContext = []
  ) async throws -> Studio {
    let loader = FakeLoader(schemes: ["http", "https", "HTTP"])
    let studio = Studio(loader: loader) { $0.cachePolicy = policy }
    let url = url ?? self.url
    let headers: HTTPHeaders = ["Cache-Control": "max-age=600"]
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers))
    var variant = context
    variant[.thumbnailSize] = PixelSize(width: 4, height: 4)
    try await studio.warm(url, [], context)
    try await studio.warm(url, [], variant)
    #expect(studio.loader.callCount == 1 && studio.memory.entries.count == 2 && studio.disk.entries.count == 2)
    return studio
  }

  private func answer(
    _ status: Int, _ headers: HTTPHeaders = [:], redirects: [ResponseHead] = [], of url: URL? = nil
  ) -> FakeLoader.Script {
    var script = FakeLoader.Script.body(newer.bytes, status: status, headers: headers)
    var head = ResponseHead(url: url, status: status, headers: headers, expectedLength: newer.bytes.count)
    head.redirects = redirects
    script.steps[0] = .head(head)
    return script
  }

  @Test(
    arguments: ["POST", "PUT", "PATCH", "DELETE", "M-SEARCH", "post", "OPTIONS", "TRACE"],
    [CachePolicy.http, .forever])
  func itIsSentEachTimeAndNothingOfItIsStored(_ method: String, _ policy: CachePolicy) async throws {
    let studio = Studio { $0.cachePolicy = policy }
    studio.loader.script(url, .body(newer.bytes, headers: ["Cache-Control": "max-age=600", "ETag": "\"1\""]))
    for context in [[], small, []] {
      #expect(try await studio.manager.result(for: request(method, nil, .waitStore, context)).source == .network)
    }
    _ = try await studio.manager.bytes(for: request(method))
    await studio.settle()
    #expect(studio.loader.callCount == 4)
    #expect(studio.loader.calls(for: url).allSatisfy { $0.request.headers.isEmpty })
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    #expect(studio.manager.cachedImage(for: request(method)) == nil)
    #expect(studio.manager.cacheKey(for: request(method)) == nil)
  }

  @Test(arguments: ["GET", "HEAD"]) func whatOnlyReadsIsStored(_ method: String) async throws {
    let studio = Studio { $0.cachePolicy = .http }
    studio.loader.script(url, .body(newer.bytes, headers: ["Cache-Control": "max-age=600"]))
    for _ in 0..<2 { _ = try await studio.manager.result(for: request(method)) }
    #expect(studio.loader.callCount == 1)
  }

  @Test(arguments: [CachePolicy.http, .forever]) func twoAtOnceAreTwoRequests(_ policy: CachePolicy) async throws {
    let studio = Studio { $0.cachePolicy = policy }
    studio.place(.small)
    studio.loader.suspend(url)
    let kept = request()
    let tasks = [kept, kept, request()].map { studio.manager.load($0) }
    await studio.loader.waitUntilSuspended(url, count: 3)
    studio.loader.resume(url)
    for task in tasks { _ = try await task.image }
    #expect(studio.loader.callCount == 3 && studio.isAtRest)
  }

  @Test func itsFailureIsNotRemembered() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1, 2, 3]))
    for _ in 0..<2 {
      let error = await #expect(throws: ImageError.self) { try await studio.manager.image(for: request()) }
      #expect(error?.code == .unsupportedFormat)
    }
    #expect(studio.loader.callCount == 2)
  }

  @Test func itIsNotSentAgainForItsBytes() async throws {
    let studio = Studio()
    studio.loader.script(url, .image(Image(try ToyImage.small.expectedBitmap(), format: ToyImage.format)))
    _ = try await studio.manager.result(for: request("POST", nil, .includeData))
    #expect(studio.loader.callCount == 1)
  }

  @Test func fromCacheOnlySendsNothing() async throws {
    let studio = Studio()
    studio.place(.small)
    await #expect { try await studio.manager.image(for: request("PUT", nil, .fromCacheOnly)) } throws: {
      ($0 as? ImageError)?.code == .notInCache
    }
    #expect(studio.loader.callCount == 0)
  }

  @Test(
    arguments: ["POST", "PUT", "PATCH", "DELETE", "M-SEARCH"], [CachePolicy.http, .forever])
  func aGoodAnswerForgetsWhatIsStored(_ method: String, _ policy: CachePolicy) async throws {
    let studio = try await filledStudio(policy)
    studio.loader.script(url, answer(200))
    _ = try await studio.manager.result(for: request(method))
    // The caches are empty by the time of the answer.
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    #expect(try await studio.result(url).image.bitmap == newer.expectedBitmap())
  }

  @Test(arguments: [201, 202, 204, 301, 303, 304, 399, 400, 404, 500, 503])
  func theStatusDecidesWhateverTheBody(_ status: Int) async throws {
    let studio = try await filledStudio()
    studio.loader.script(url, .status(status))
    // Such an answer contains no picture.
    await #expect(throws: ImageError.self) { try await studio.manager.image(for: request()) }
    #expect(studio.memory.entries.isEmpty == (status < 400) && studio.disk.entries.isEmpty == (status < 400))
  }

  @Test func whatChangedIsForgottenAlsoWhenTheCallerGivesUp() async throws {
    let studio = try await filledStudio()
    studio.loader.script(url, answer(200))
    studio.loader.suspend(url, at: .end)
    let load = studio.manager.load(request())
    await studio.loader.waitUntilSuspended(url, at: .end)
    load.cancel()
    await #expect { try await load.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    // Nobody waits for the transfer any more; its turn ends when it ends.
    await waitUntil { studio.manager.storeQueues.isEmpty }
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test(arguments: ["OPTIONS", "TRACE"]) func whatChangesNothingForgetsNothing(_ method: String) async throws {
    let studio = try await filledStudio()
    studio.loader.script(url, answer(200))
    _ = try await studio.manager.result(for: request(method))
    #expect(studio.memory.entries.count == 2 && studio.disk.entries.count == 2)
  }

  @Test func aRequestThatFailsForgetsNothing() async throws {
    let studio = try await filledStudio()
    studio.loader.script(url, .failure(ImageError(.network, "Lost.")))
    await #expect(throws: ImageError.self) { try await studio.manager.image(for: request()) }
    #expect(studio.memory.entries.count == 2 && studio.disk.entries.count == 2)
  }

  @Test func anAnswerThatBreaksOffForgetsWhatIsStored() async throws {
    let studio = try await filledStudio()
    studio.loader.script(url, .failure(ImageError(.truncatedBody, "Cut."), after: 5, of: newer.bytes))
    await #expect(throws: ImageError.self) { try await studio.manager.image(for: request()) }
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  private static let readers: [ImageContext] = [
    [], [.headers(["Authorization": "alice"])], [.headers(["X-Tenant": "a"])],
    [.headers(["X-Tenant": "a", "Authorization": "alice"])],
  ]

  @Test(arguments: readers.indices) func itIsForgottenForThoseWhoReadWithTheSameFields(_ index: Int) async throws {
    let studio = try await filledStudio(.http, Self.readers[index])
    studio.loader.script(url, answer(200))
    let fields: HTTPHeaders = ["Authorization": "alice", "X-Tenant": "a", "Content-Type": "application/json"]
    // The user's own fields are known in full or not at all; the fields of the body never belong to a read request.
    let sent = index == 2 ? fields.filtered { $0 != "Authorization" } : fields
    _ = try await studio.manager.result(for: request("POST", nil, .handleCookies, [.headers(sent)]))
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test(arguments: [
    ("Location", "/b.toy", true), ("Content-Location", "b.toy#top", true), ("Location", "http://HOST:80/b.toy", true),
    ("Location", "http://other/b.toy", false), ("Location", "https://host/b.toy", false),
    ("Content-Location", "http://host:81/b.toy", false), ("Link", "/b.toy", false),
  ])
  func aPlaceThatTheAnswerNamesOnItsOwnHostIsForgotten(_ name: String, _ value: String, _ isForgotten: Bool)
    async throws
  {
    let place = try #require(URL(string: "b.toy", relativeTo: url))
    let spelled = name == "Link" ? place : try #require(URL(string: value, relativeTo: url))
    let named = try #require(URL(string: spelled.absoluteString.replacing("#top", with: "")))
    let studio = try await filledStudio(at: named)
    studio.loader.script(url, answer(201, [name: value]))
    _ = try await studio.manager.result(for: request())
    #expect(studio.disk.entries.isEmpty == isForgotten && studio.memory.entries.isEmpty == isForgotten)
  }

  /// Ways to write one URL.
  private static let spellings = [
    "http://host/b.toy?x=%7E", "HTTP://host/b.toy?x=~", "http://HOST/b.toy?x=%7e", "http://host:80/b.toy?x=~#top",
    "http://host:/b.toy?x=~", "http://host/x/../b.toy?x=~", "http://host/./b.toy?x=~", "http://host/%62.toy?x=~",
    "http://h%6Fst/b.toy?%78=~",
  ]

  /// However a URL is written, it names the same thing, which is asked for again after a change.
  @Test(arguments: spellings, [CachePolicy.http, .forever])
  func whatIsSpelledInAnotherWayIsForgottenToo(_ spelling: String, _ policy: CachePolicy) async throws {
    let normal = "http://host/b.toy?x=~"
    for (loaded, changed) in [(normal, spelling), (spelling, normal), (spelling, Self.spellings[0])] {
      let (loaded, changed) = try (#require(URL(string: loaded)), #require(URL(string: changed)))
      for isNamed in [true, false] {
        let studio = try await filledStudio(policy, at: loaded)
        studio.loader.script(isNamed ? url : changed, answer(200, isNamed ? ["Location": changed.absoluteString] : [:]))
        _ = try await studio.manager.result(for: request("POST", isNamed ? url : changed))
        #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty, "\(loaded) \(changed) \(isNamed)")
      }
    }
  }

  @Test(arguments: [
    "http://host/B.toy", "http://host/b%2Etoy/", "http://host/b%2Ftoy", "http://host:81/b.toy", "https://host/b.toy",
    "http://host/b.toy?", "http://host/b.toy?a", "http://host//b.toy", "http://me@host/b.toy", "http://host./b.toy",
  ])
  func anotherURLIsNotForgotten(_ other: String) async throws {
    let studio = try await filledStudio(.http, at: URL(string: "http://host/b.toy"))
    let other = try #require(URL(string: other))
    studio.loader.script(other, answer(200))
    _ = try await studio.manager.result(for: request("POST", other))
    #expect(studio.memory.entries.count == 2 && studio.disk.entries.count == 2)
  }

  @Test func redirectsAreFollowed() async throws {
    let target = URL(string: "http://other/b.toy")!
    // A 307 keeps the method; a 303 does not.
    for (status, isForgotten) in [(307, true), (303, false)] {
      let studio = try await filledStudio(at: target)
      let redirect = ResponseHead(url: url, status: status, headers: ["Location": target.absoluteString])
      studio.loader.script(url, answer(200, redirects: [redirect], of: target))
      _ = try await studio.manager.result(for: request())
      #expect(studio.disk.entries.isEmpty == isForgotten, "\(status)")
    }
  }

  @Test func aURLThatFailedIsTriedAgain() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1]), answer(200), .body(newer.bytes))
    #expect(await studio.failure(url)?.code == .unsupportedFormat)
    #expect(await studio.failure(url)?.code == .blockedURL)
    _ = try await studio.manager.image(for: request("PUT"))
    _ = try await studio.result(url)
  }

  @Test func whoAsksAfterwardsDoesNotJoinThoseFromBefore() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes), .body(newer.bytes))
    let form = URL(string: "http://host/form")!
    studio.loader.script(form, answer(200, ["Location": "/a.toy"]))
    studio.loader.suspend(url, at: .end)
    let older = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url, at: .end)
    _ = try await studio.manager.image(for: request("POST", form))
    let later = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url, at: .end, count: 2)
    studio.loader.resume(url, at: .end)
    #expect(try await older.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(try await later.image.bitmap == newer.expectedBitmap())
    await studio.settle()
    #expect(try await studio.result(url).image.bitmap == newer.expectedBitmap())
    #expect(studio.isAtRest && studio.loader.callCount == 3)
  }

  @Test func whatWasUnderWayBeforeDoesNotComeBack() async throws {
    let studio = Studio()
    studio.place(.small)
    let form = URL(string: "http://host/form")!
    studio.loader.script(form, answer(200, ["Content-Location": "/a.toy"]))
    studio.loader.suspend(url, at: .end)
    let older = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url, at: .end)
    _ = try await studio.manager.image(for: request("POST", form))
    studio.loader.resume(url, at: .end)
    _ = try await older.image
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }
}
