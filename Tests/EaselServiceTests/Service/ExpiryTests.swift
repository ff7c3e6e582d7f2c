import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// Addresses that expire: nobody keeps an answer beyond its address.
struct ExpiryTests {
  private static let url = ServiceStudio.source

  private func studio(_ change: (inout ImageService.Configuration) -> Void = { _ in }) -> ServiceStudio {
    ServiceStudio { configuration in
      configuration.cacheLifetime.timeToLive = 100
      configuration.cacheLifetime.staleWhileRevalidate = 50
      configuration.cacheLifetime.staleIfError = 1000
      change(&configuration)
    }
  }

  private func order(_ studio: ServiceStudio, _ seconds: Int, _ change: (inout ImageOrder) -> Void = { _ in }) {
    let now = Int(studio.clock.date.timeIntervalSince1970)
    studio.order {
      $0.expires = now + seconds
      change(&$0)
    }
  }

  @Test(arguments: [
    (3, "public, max-age=2, must-revalidate"), (101, "public, max-age=100, must-revalidate"),
    (121, "public, max-age=100, stale-while-revalidate=20, stale-if-error=20"),
    (201, "public, max-age=100, stale-while-revalidate=50, stale-if-error=100"),
    (5000, "public, max-age=100, stale-while-revalidate=50, stale-if-error=1000"),
  ])
  func aPictureIsKeptNoLongerThanItsAddress(_ seconds: Int, _ field: String) async throws {
    let studio = studio()
    order(studio, seconds)
    try studio.place()
    let first = await studio.get()
    #expect(first.status == 200 && first.headers["Cache-Control"] == field)
    #expect(studio.atOnce()?.headers["Cache-Control"] == field)
    #expect(await studio.get(method: "HEAD").headers["Cache-Control"] == field)
    let tag = try #require(first.headers["ETag"])
    let unchanged = studio.atOnce("/p", ["If-None-Match": tag])
    #expect(unchanged?.status == 304 && unchanged?.headers["Cache-Control"] == field)
  }

  /// A cache counts whole seconds, and begins when the answer reaches it.
  @Test func theTimeThatIsLeftIsRoundedDown() async throws {
    let studio = studio()
    order(studio, 3)
    try studio.place()
    _ = await studio.get()
    studio.clock.advance(by: .milliseconds(1))
    #expect(studio.atOnce()?.headers["Cache-Control"] == "public, max-age=1, must-revalidate")
    studio.clock.advance(by: .milliseconds(2998))
    #expect(studio.atOnce()?.headers["Cache-Control"] == "public, max-age=0, must-revalidate")
    studio.clock.advance(by: .milliseconds(1))
    #expect(studio.atOnce()?.status == 410)
  }

  @Test(arguments: [ImageOrder.Content.original, .info])
  func otherAnswersAreNotKeptLongerEither(_ answer: ImageOrder.Content) async throws {
    let studio = studio()
    order(studio, 7) { $0.answer = answer }
    try studio.place()
    #expect(await studio.get().headers["Cache-Control"] == "public, max-age=6, must-revalidate")
  }

  @Test func anOriginalThatGoesOutUntouchedIsNotKeptLonger() async throws {
    let studio = studio()
    order(studio, 7) { $0.untouchedFormats = [.jpeg] }
    try studio.place()
    #expect(await studio.get().headers["Cache-Control"] == "public, max-age=6, must-revalidate")
  }

  @Test func anErrorIsNotKeptLonger() async throws {
    let studio = studio()
    order(studio, 7)
    studio.loader.script(Self.url, .status(404))
    let answer = await studio.get()
    #expect(answer.status == 404 && answer.headers["Cache-Control"] == "public, max-age=6, must-revalidate")
    order(studio, 9) { $0.format = ImageFormat(mimeType: "image/avif") }
    let refused = try #require(studio.atOnce())
    #expect(refused.status == 415 && refused.headers["Cache-Control"] == "public, max-age=8, must-revalidate")
  }

  @Test func aFallbackIsNotKeptLonger() async throws {
    let fallback = URL(string: "https://host/sorry.png")!
    let studio = studio { $0.fallbackSource = fallback.absoluteString }
    try studio.place(ServiceStudio.picture(.png), at: fallback)
    studio.loader.script(Self.url, .status(404))
    order(studio, 7)
    #expect(await studio.get().headers["Cache-Control"] == "public, max-age=6, must-revalidate")
    studio.order { $0.maxAge = 5 }
    #expect(await studio.get().headers["Cache-Control"] == "public, max-age=5")
  }

  @Test func anAddressThatExpiresMeanwhileIsNotKept() async throws {
    let studio = studio()
    order(studio, 7)
    try studio.place()
    studio.loader.suspend(Self.url)
    let answer = Task { await studio.get() }
    await studio.loader.waitForStart(of: Self.url)
    studio.clock.advance(by: .seconds(8))
    studio.loader.resume(Self.url)
    #expect(await answer.value.headers["Cache-Control"] == "public, max-age=0, must-revalidate")
  }
}
