import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The rules of blocked URLs: which errors block, for how long, and the settings that override this.
struct FailedURLRuleTests {
  let url = URL(string: "http://host/a.toy")!

  private static let failures: [(ImageError, Bool)] = [
    (ImageError(.invalidURL, ""), true), (ImageError(.unsupportedURL, ""), true),
    (ImageError(.unsupportedFormat, ""), true), (ImageError(.badImageData, ""), true),
    (ImageError(.limitExceeded, ""), true), (ImageError(.network, ""), false), (ImageError(.timedOut, ""), false),
    (ImageError(.truncatedBody, ""), false), (ImageError(.cancelled, ""), false),
    (ImageError(.notModified, ""), false), (ImageError(.badStatus, ""), false),
    (ImageError(.badContentType, ""), false), (ImageError(.invalidResponse, ""), false),
    (ImageError(.invalidRequest, ""), false), (ImageError.exhausted(""), false),
  ]

  @Test(arguments: failures) func whatFollowsFromTheURLBlocksIt(_ error: ImageError, _ blocks: Bool) async throws {
    let studio = Studio()
    studio.loader.script(url, .failure(error), .body(ToyImage.small.bytes))
    #expect(await studio.failure(url)?.code == error.code)
    if blocks {
      #expect(await studio.failure(url)?.code == .blockedURL)
      #expect(studio.loader.callCount == 1)
    } else {
      _ = try await studio.result(url)
    }
  }

  @Test func aBusyMachineIsNotTheURLsFault() async throws {
    let studio = Studio(coder: ToyCoder(isProgressive: false))
    studio.place(.small)
    studio.coder.decodeGate.close()
    let task = studio.manager.load(url)
    await studio.coder.decodeGate.waitForWaiters()
    studio.clock.advance(by: .seconds(31))
    studio.coder.decodeGate.open()
    await #expect { try await task.image } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    _ = try await studio.result(url)
  }

  @Test(arguments: [404, 500]) func aStatusBlocksNothing(_ status: Int) async throws {
    let studio = Studio()
    studio.loader.script(url, .status(status), .body(ToyImage.small.bytes))
    #expect(await studio.failure(url)?.code == .badStatus)
    _ = try await studio.result(url)
  }

  @Test func anEntryExpires() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1]), .body(ToyImage.small.bytes))
    _ = await studio.failure(url)
    studio.clock.advance(by: .seconds(599))
    #expect(await studio.failure(url)?.code == .blockedURL)
    studio.clock.advance(by: .seconds(1))
    _ = try await studio.result(url)
  }

  private let failure = ImageError(.badImageData, "It is damaged.")

  @Test func theErrorOfABlockedURLNamesTheFailure() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1]))
    let first = try #require(await studio.failure(url))
    let second = try #require(await studio.failure(url))
    #expect(second.code == .blockedURL && (second.underlyingError as? ImageError)?.code == first.code)
  }

  @Test(arguments: [0, 1, 2, 8]) func theListIsCappedAndKeepsTheNewest(_ capacity: Int) {
    let list = FailedURLs(lifetime: .seconds(60), capacity: capacity, clock: ManualClock())
    let keys = (0..<20).map { CacheKey(original: "http://host/\($0)") }
    for key in keys {
      list.insert(key, failure)
      #expect((list.failure(of: key) != nil) == (capacity > 0))
      #expect(keys.count { list.failure(of: $0) != nil } <= capacity)
    }
  }

  @Test func whatIsExpiredMakesRoomFirst() {
    let clock = ManualClock()
    let list = FailedURLs(lifetime: .seconds(60), capacity: 4, clock: clock)
    let keys = (0..<6).map { CacheKey(original: "http://host/\($0)") }
    for key in keys.prefix(2) { list.insert(key, failure) }
    clock.advance(by: .seconds(60))
    for key in keys.suffix(4) { list.insert(key, failure) }
    #expect(keys.map { list.failure(of: $0) != nil } == [false, false, true, true, true, true])
  }

  @Test func cachesAreAskedBeforeTheList() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes), .body([1]))
    try await studio.warm(url)
    _ = await studio.failure(url, .fromLoaderOnly)
    #expect(await studio.failure(url, .fromLoaderOnly)?.code == .blockedURL)
    #expect(try await studio.result(url).source == .memory)
    studio.memory.removeAll()
    #expect(try await studio.result(url).source == .disk)
    #expect(try await studio.result(url, [], [.thumbnailSize(PixelSize(width: 2, height: 2))]).source == .disk)
  }

  @Test func theListIsByOriginalAndScope() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1]), .body(ToyImage.small.bytes))
    #expect(await studio.failure(url, .handleCookies)?.code == .unsupportedFormat)
    let size: ImageContext = [.thumbnailSize(PixelSize(width: 2, height: 2))]
    #expect(await studio.failure(url, .handleCookies, size)?.code == .blockedURL)
    _ = try await studio.result(url)
  }

  private static var contexts: [ImageContext] {
    var strict = Limits()
    strict.side = 1
    var raw = DecodeOptions()
    raw.appliesOrientation = false
    return [
      [.limits(strict)], [.coder(CoderRegistry())], [.loader(FakeLoader(cacheIdentity: .plain))],
      [.headers(["Accept": "text/html"])], [.decodeOptions(raw)], [.typeHint(ToyImage.format)],
      [.damaged(.refuse)],
      [.requestModifier(FakeRequestModifier(cacheIdentity: .plain))],
      [.responseModifier(FakeResponseModifier(cacheIdentity: .plain))],
      [.decryptor(.closure(cacheIdentity: .plain) { _ in ImageBytes([1]) })],
    ]
  }

  @Test(arguments: contexts.indices) func aFailureUnderAContextOfOnesOwnBlocksNobody(_ index: Int) async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1]), .body(ToyImage.small.bytes))
    _ = await studio.failure(url, [], Self.contexts[index])
    // The failed load may or may not have called this loader. In both cases its failure blocks nobody.
    if studio.loader.callCount == 0 {
      #expect(await studio.failure(url)?.code == .unsupportedFormat)
    } else {
      _ = try await studio.result(url)
    }
  }

  @Test func whatWasRefusedAsDamagedIsTriedByThoseWhoWantParts() async throws {
    let studio = Studio()
    let cut = Array(ToyImage.small.bytes.dropLast(8))
    studio.loader.script(url, .body(cut), .body(cut), .body([1]))
    #expect(await studio.failure(url)?.code == .badImageData)
    #expect(await studio.failure(url)?.code == .blockedURL)
    #expect(try await studio.result(url, [], [.damaged(.show)]).image.traits.contains(.partial))
    // What nobody can show blocks everybody.
    #expect(await studio.failure(url, .fromLoaderOnly, [.damaged(.show)])?.code == .unsupportedFormat)
    #expect(await studio.failure(url, .fromLoaderOnly, [.damaged(.show)])?.code == .blockedURL)
    #expect(await studio.failure(url, .fromLoaderOnly)?.code == .blockedURL)
  }

  @Test func everyKeyThatForgetsFailuresIsAmongTheseContexts() {
    let forgetting = ContextKeyRow.core.filter(\.forgetsFailures).map(\.testDescription)
    #expect(Self.contexts.flatMap { $0.settings.map(\.name) }.sorted() == forgetting.sorted())
  }

  @Test(arguments: ContextKeyRow.all) func aFailureIsRememberedAsTheKeyDeclares(row: ContextKeyRow) async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1]), .body([1]), .body(ToyImage.small.bytes))
    #expect(await studio.failure(url, row.options, row.set) != nil)
    let blocks = !row.forgetsFailures && row.kind != .bytes
    #expect(await studio.failure(url)?.code == (blocks ? .blockedURL : .unsupportedFormat))
  }

  @Test(arguments: [true, false]) func theDelegateHasTheFirstSay(_ blocks: Bool) async throws {
    let studio = Studio { $0.shouldBlock = { _, _ in blocks } }
    studio.loader.setBlocks(!blocks, url)
    studio.loader.script(url, .body([1]), .status(404), .body(ToyImage.small.bytes))
    _ = await studio.failure(url)
    #expect(await studio.failure(url)?.code == (blocks ? .blockedURL : .badStatus))
  }

  @Test(arguments: [true, false]) func theLoaderMayRuleOtherwise(_ blocks: Bool) async throws {
    let studio = Studio { $0.shouldBlock = { _, _ in nil } }
    studio.loader.setBlocks(blocks, url)
    studio.loader.script(url, blocks ? .status(404) : .body([1]), .body(ToyImage.small.bytes))
    _ = await studio.failure(url)
    if blocks { #expect(await studio.failure(url)?.code == .blockedURL) } else { _ = try await studio.result(url) }
  }

  @Test func theDelegateMayForbidLoadsButNotCacheHits() async throws {
    let isOpen = Locked(true)
    let studio = Studio { $0.shouldLoad = { _ in isOpen.withLock { $0 } } }
    studio.place(.small)
    try await studio.warm(url)
    isOpen.withLock { $0 = false }
    #expect(try await studio.result(url).source == .memory)
    #expect(await studio.failure(url, .fromLoaderOnly)?.code == .refusedURL)
    isOpen.withLock { $0 = true }
    _ = try await studio.result(url, .fromLoaderOnly)
  }

  @Test func removalLetsAURLBeTriedAgain() async throws {
    let studio = Studio()
    let other = URL(string: "http://host/b.toy")!
    for url in [url, other] {
      studio.loader.script(url, .body([1]), .body(ToyImage.small.bytes))
      _ = await studio.failure(url)
    }
    studio.manager.removeFailedURL(ImageRequest(url: url))
    _ = try await studio.result(url)
    #expect(await studio.failure(other)?.code == .blockedURL)
    studio.manager.removeAllFailedURLs()
    _ = try await studio.result(other)
  }

  @Test func aBlockLeavesTheCachedPictureOfARefresh() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale()), .body([1]))
    try await studio.warm(url)
    _ = await studio.failure(url, .fromLoaderOnly)
    let result = try await studio.result(url, .refreshCached)
    #expect(result.source == .memory && result.revalidationError?.code == .blockedURL)
    #expect(studio.loader.callCount == 2)
  }

  @Test(arguments: [true, false]) func aBlockLeavesAStaleEntryThatMayBeUsed(_ mayBeUsed: Bool) async throws {
    let studio = Studio { $0.cachePolicy = .http }
    let headers = HTTPHeaders.stale(after: 10, mayBeUsed ? "stale-if-error=100" : "")
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers), .body([1]))
    try await studio.warm(url)
    _ = await studio.failure(url, .fromLoaderOnly)
    studio.clock.advance(by: .seconds(20))
    if mayBeUsed {
      #expect(try await studio.result(url).revalidationError?.code == .blockedURL)
    } else {
      #expect(await studio.failure(url)?.code == .blockedURL)
    }
    #expect(studio.loader.callCount == 2)
  }
}
