import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// A user never gets another user's picture, no matter which header field differs and where the field was added.
struct IdentityFieldTests {
  /// The place that adds the field.
  enum Way: CaseIterable, Sendable {
    case context, modifier

    func context(_ name: String, _ value: String) -> ImageContext {
      self == .context ? [.headers([name: value])] : [.requestModifier(.headers([name: value]))]
    }
  }

  private static let names = ["X-Api-Key", "Host", "X-Token", "Authorization", "Cookie", "Origin"]

  private let url = URL(string: "http://host/a.toy")!
  private let bobs = ToyImage(width: 16, height: 16, seed: 9)

  private func studio(_ policy: CachePolicy) -> Studio {
    let studio = Studio { $0.cachePolicy = policy }
    let headers: HTTPHeaders = ["Cache-Control": "max-age=600"]
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers), .body(bobs.bytes, headers: headers))
    return studio
  }

  @Test(arguments: names, Way.allCases) func bobIsNotGivenAlicesPicture(_ name: String, _ way: Way) async throws {
    for policy in [CachePolicy.forever, .http] {
      let studio = studio(policy)
      let (alice, bob) = (way.context(name, "alice"), way.context(name, "bob"))
      try await studio.warm(url, [], alice)
      #expect(studio.manager.cachedImage(for: url, context: bob) == nil)
      #expect(studio.manager.cachedImage(for: url) == nil)
      #expect(try await studio.warm(url, [], bob).image.bitmap == bobs.expectedBitmap())
      #expect(try await studio.warm(url, [], alice).image.bitmap == ToyImage.small.expectedBitmap())
      studio.memory.removeAll()
      let fromDisk = try await studio.warm(url, [], alice)
      #expect(try fromDisk.source == .disk && fromDisk.image.bitmap == ToyImage.small.expectedBitmap())
      #expect(studio.loader.callCount == 2)
      for key in studio.disk.entries.keys { #expect(!"\(key) \(key.scope.parts)".contains("alice")) }
    }
  }

  @Test(arguments: names, Way.allCases) func theyShareNoTransfer(_ name: String, _ way: Way) async throws {
    let studio = studio(.forever)
    studio.loader.suspend(url)
    let tasks = ["alice", "bob", "alice"].map { studio.manager.load(url, context: way.context(name, $0)) }
    await studio.loader.waitUntilSuspended(url, count: 2)
    studio.loader.resume(url)
    for task in tasks { _ = try await task.image }
    #expect(Set(studio.loader.calls(for: url).map { $0.request.headers[name] }) == ["alice", "bob"])
    #expect(studio.loader.callCount == 2)
  }

  @Test func oneUsersFailureBlocksNobodyElse() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1]), .body(bobs.bytes))
    #expect(await studio.failure(url, [], [.headers(["X-Token": "alice"])])?.code == .unsupportedFormat)
    #expect(await studio.failure(url, [], [.headers(["X-Token": "alice"])])?.code == .blockedURL)
    _ = try await studio.result(url, [], [.headers(["X-Token": "bob"])])
  }

  @Test func whatOnlySaysWhatAClientReadsIsShared() async throws {
    let studio = studio(.forever)
    for fields: HTTPHeaders in [["Accept": "image/webp"], ["Referer": "http://host/"], ["User-Agent": "a"]] {
      try await studio.warm(url, [], [.headers(fields)])
    }
    #expect(studio.loader.callCount == 1)
  }
}
