import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// A part of a body is never used as the whole, neither in a cache nor in a shared load.
struct PartialResponseTests {
  private let url = URL(string: "http://host/a.toy")!
  private let part: ImageContext = [.headers(["range": "bytes=0-9"])]
  private let whole = ToyImage.small

  private func bytes(_ studio: Studio, _ context: ImageContext = []) async throws -> Data {
    let bytes = try await studio.manager.bytes(for: ImageRequest(url: url, context: context)).data()
    await studio.settle()
    return bytes
  }

  @Test(arguments: [CachePolicy.forever, .http], [200, 206])
  func whatARangeBringsIsNotKept(_ policy: CachePolicy, _ status: Int) async throws {
    let studio = Studio { $0.cachePolicy = policy }
    let headers: HTTPHeaders = .stale(after: 600)
    studio.loader.script(
      url, .body(Array(whole.bytes.prefix(10)), status: status, headers: headers),
      .body(whole.bytes, headers: headers), .body([1], status: status, headers: headers))
    #expect(try await bytes(studio, part).count == 10)
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    #expect(try await bytes(studio) == Data(whole.bytes))
    // The part is not read from the cache either, and the cached body stays.
    #expect(try await bytes(studio, part).count == 1)
    #expect(try await bytes(studio) == Data(whole.bytes))
    #expect(studio.loader.callCount == 3)
    #expect(studio.manager.cacheKey(for: ImageRequest(url: url, context: part)) == nil)
  }

  @Test(arguments: [[], [.thumbnailSize(PixelSize(width: 4, height: 4))]] as [ImageContext])
  func aPictureOfARangeIsNotKept(_ context: ImageContext) async throws {
    let studio = Studio()
    studio.loader.script(url, .body(whole.bytes, status: 206))
    var asking = context
    asking.merge(part)
    for _ in 0..<2 { #expect(try await studio.warm(url, [], asking).source == .network) }
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func aRangeThatAModifierAsksForIsNotKeptAndLeavesTheWhole() async throws {
    let studio = Studio {
      $0.requestModifier = .closure(cacheIdentity: .plain) { request in
        var request = request
        if request.context[.extendedData] != nil { request.headers["Range"] = "bytes=0-" }
        return request
      }
    }
    studio.loader.script(url, .body(whole.bytes), .body(ToyImage.moving.bytes, status: 206))
    let key = try await studio.warm(url).key
    let asking: ImageContext = [.extendedData(Data([1]))]
    #expect(try await studio.warm(url, .fromLoaderOnly, asking).source == .network)
    #expect(try studio.disk.entries[key]?.bytes?.data() == whole.imageBytes.data())
    #expect(try studio.memory.entries[key]?.image?.bitmap == whole.expectedBitmap())
  }

  @Test func loadsOfAPartAndOfTheWholeAreNotShared() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1, 2], status: 206), .body(whole.bytes))
    studio.loader.suspend(url)
    async let first = bytes(studio, part)
    await studio.loader.waitUntilSuspended(url)
    async let second = studio.result(url)
    while studio.manager.transferRuns.count < 2 { await Task.yield() }
    studio.loader.resume(url)
    #expect(try await first == Data([1, 2]))
    #expect(try await second.image.bitmap == whole.expectedBitmap())
  }

  @Test(arguments: [nil, 200...299] as [ClosedRange<Int>?])
  func aPartThatNobodyAskedForIsABadStatus(_ accepted: ClosedRange<Int>?) async throws {
    let studio = Studio { $0.acceptedStatuses = accepted }
    studio.loader.script(url, .body(whole.bytes, status: 206))
    let failure = await studio.failure(url)
    #expect(failure?.code == .badStatus && failure?.status == 206)
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }
}
