import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Cached bytes without a picture, either stale or to be refreshed.
struct StaleBytesTests {
  /// The reason to ask the server, and the key of the bytes: the picture's own, or the original's when a variant is
  /// loaded.
  enum Way: CaseIterable, Sendable {
    case stale, refreshed, staleOriginal, refreshedOriginal

    var options: ImageOptions { self == .refreshed || self == .refreshedOriginal ? .refreshCached : [] }
    var context: ImageContext {
      self == .stale || self == .refreshed ? [] : [.thumbnailSize(PixelSize(width: 4, height: 4))]
    }
  }

  private let url = URL(string: "http://host/a.toy")!
  private let older = Data([1, 2, 3])
  private let newer = Data([4, 5])

  /// A studio whose cache has bytes that were fresh for ten seconds.
  private func studio(_ more: String = "", then scripts: FakeLoader.Script...) async throws -> Studio {
    let studio = Studio { $0.cachePolicy = .http }
    let first = FakeLoader.Script.body([UInt8](older), headers: .stale(after: 10, more))
    studio.loader.script(url, first, scripts[0], scripts.last!)
    #expect(try await bytes(studio) == older)
    studio.clock.advance(by: .seconds(10))
    return studio
  }

  private func bytes(_ studio: Studio, _ options: ImageOptions = [], _ context: ImageContext = []) async throws -> Data
  {
    let request = ImageRequest(url: url, options: options, context: context)
    let bytes = try await studio.manager.bytes(for: request).data()
    await studio.settle()
    return bytes
  }

  @Test(arguments: Way.allCases) func aNotModifiedConfirmsAndRenewsThem(_ way: Way) async throws {
    let studio = try await studio(then: .notModified(headers: ["Cache-Control": "max-age=50"]))
    #expect(try await bytes(studio, way.options, way.context) == older)
    #expect(studio.loader.calls(for: url).last?.request.headers["If-None-Match"] == "\"one\"")
    studio.clock.advance(by: .seconds(49))
    #expect(try await bytes(studio) == older)
    #expect(studio.loader.callCount == 2)
    studio.clock.advance(by: .seconds(1))
    #expect(try await bytes(studio) == older)
    #expect(studio.loader.callCount == 3)
  }

  @Test(arguments: Way.allCases) func newBytesTakeTheirPlace(_ way: Way) async throws {
    let studio = try await studio(then: .body([UInt8](newer), headers: .stale(after: 10, tag: "\"two\"")))
    #expect(try await bytes(studio, way.options, way.context) == newer)
    #expect(try await bytes(studio) == newer)
    #expect(studio.loader.callCount == 2)
  }

  @Test(arguments: [
    FakeLoader.Script.failure(ImageError(.network, "Lost.")), .failure(ImageError(.timedOut, "Late.")), .status(503),
  ])
  func aServerInTroubleLeavesThemToWhoeverRefreshes(_ script: FakeLoader.Script) async throws {
    let studio = try await studio(then: script)
    #expect(try await bytes(studio, .refreshCached) == older)
    #expect(studio.loader.callCount == 2)
    await #expect(throws: ImageError.self) { try await bytes(studio) }
  }

  @Test func theyAreUsedOnAnErrorAsLongAsTheServerAllowed() async throws {
    let studio = try await studio("stale-if-error=20", then: .status(500))
    studio.clock.advance(by: .seconds(19))
    #expect(try await bytes(studio) == older)
    studio.clock.advance(by: .seconds(1))
    let failure = await #expect(throws: ImageError.self) { try await bytes(studio) }
    #expect(failure?.code == .badStatus && studio.loader.callCount == 3)
  }

  @Test func anyOtherFailureIsTheResult() async throws {
    let studio = try await studio("stale-if-error=20", then: .status(404))
    for options in [[], .refreshCached] as [ImageOptions] {
      let failure = await #expect(throws: ImageError.self) { try await bytes(studio, options) }
      #expect(failure?.status == 404)
    }
  }

  @Test func aNotModifiedThatACallerAskedForItselfIsAnError() async throws {
    let studio = Studio()
    studio.loader.script(url, .notModified())
    let failure = await #expect(throws: ImageError.self) {
      try await bytes(studio, [], [.headers(["If-None-Match": "\"own\""])])
    }
    #expect(failure?.code == .notModified)
  }

  @Test func onlyTheCacheIsAskedWhereOnlyTheCacheMayBe() async throws {
    let studio = try await studio(then: .notModified())
    let failure = await #expect(throws: ImageError.self) { try await bytes(studio, .fromCacheOnly) }
    #expect(failure?.code == .notInCache)
    #expect(try await bytes(studio, [.fromCacheOnly, .refreshCached]) == older)
    #expect(studio.loader.callCount == 1)
  }
}
