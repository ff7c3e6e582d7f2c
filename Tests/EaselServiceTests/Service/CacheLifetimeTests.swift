import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// The time for which pictures are kept, here and by clients.
struct CacheLifetimeTests {
  private static let url = ServiceStudio.source

  private func studio(_ change: (inout CacheLifetime) -> Void = { _ in }) -> ServiceStudio {
    var cacheLifetime = CacheLifetime()
    (cacheLifetime.timeToLive, cacheLifetime.staleWhileRevalidate, cacheLifetime.staleIfError) = (100, 0, 0)
    change(&cacheLifetime)
    return ServiceStudio { $0.cacheLifetime = cacheLifetime }
  }

  @Test func aPictureIsFreshAsLongAsTheServerSays() async throws {
    let studio = studio()
    studio.order { $0.format = .png }
    let picture = try ServiceStudio.picture(.jpeg)
    // The source's own words do not count.
    studio.loader.script(
      Self.url, .body(picture, headers: ["Cache-Control": "max-age=1", "Age": "5000", "ETag": "\"a\""]),
      .notModified(headers: ["Cache-Control": "max-age=1"]))
    #expect(await studio.get().headers["Cache-Control"] == "public, max-age=100")
    studio.clock.advance(by: .seconds(40))
    #expect(studio.atOnce()?.headers["Cache-Control"] == "public, max-age=60")
    studio.clock.advance(by: .seconds(60))
    #expect(studio.atOnce() == nil)
    let renewed = await studio.get()
    #expect(renewed.headers["Cache-Control"] == "public, max-age=100" && studio.loader.callCount == 2)
    #expect(studio.loader.calls(for: Self.url).last?.request.headers["If-None-Match"] == "\"a\"")
    #expect(studio.count("decoded") == 1)
  }

  @Test func aPictureIsFreshAsLongAsItsSourceSaysIfWanted() async throws {
    let studio = studio { $0.followsSource = true }
    studio.order()
    try studio.place(headers: ["Cache-Control": "max-age=30"])
    #expect(await studio.get().headers["Cache-Control"] == "public, max-age=30")
    studio.clock.advance(by: .seconds(30))
    #expect(studio.atOnce() == nil)
    let long = studio
    long.order(at: "/long") { $0.source = "https://host/long.jpg" }
    try long.place(at: URL(string: "https://host/long.jpg")!, headers: ["Cache-Control": "max-age=5000"])
    #expect(await long.get("/long").headers["Cache-Control"] == "public, max-age=100")
  }

  @Test func aURLMayShortenTheTime() async throws {
    let studio = studio()
    studio.order { $0.maxAge = 7 }
    try studio.place()
    #expect(await studio.get().headers["Cache-Control"] == "public, max-age=7")
  }

  @Test(arguments: ["private", "no-store", "max-age=60, Private", "private=\"Set-Cookie\"", "No-Store"])
  func whatIsPrivateIsKeptNowhere(_ control: String) async throws {
    let studio = studio()
    studio.order()
    try studio.place(headers: ["Cache-Control": control])
    #expect(await studio.get().headers["Cache-Control"] == "private, no-store")
    #expect(studio.atOnce() == nil)
    _ = await studio.get()
    #expect(studio.loader.callCount == 2)
  }

  @Test func aStalePictureGoesOutWhileItIsRenewed() async throws {
    let studio = studio { $0.staleWhileRevalidate = 50 }
    studio.order()
    try studio.place()
    _ = await studio.get()
    studio.clock.advance(by: .seconds(120))
    let stale = await studio.get()
    #expect(stale.status == 200 && stale.headers["Cache-Control"] == "public, max-age=0, stale-while-revalidate=50")
    await studio.loader.waitForEnd(of: Self.url, call: 2)
    #expect(studio.loader.callCount == 2)
  }

  @Test func aStalePictureGoesOutIfItsSourceFails() async throws {
    let studio = studio { $0.staleIfError = 1000 }
    studio.order()
    studio.loader.script(Self.url, .body(try ServiceStudio.picture(.jpeg)), .status(500))
    let first = await studio.get()
    studio.clock.advance(by: .seconds(200))
    let stale = await studio.get()
    #expect(stale.status == 200 && stale.bytes == first.bytes && studio.loader.callCount == 2)
  }

  @Test func anotherCacheBusterLoadsAnew() async throws {
    let studio = studio()
    try studio.place()
    for (path, buster) in [("/1", "a"), ("/2", "b"), ("/3", "a"), ("/4", nil)] as [(String, String?)] {
      studio.order(at: path) { $0.cacheBuster = buster }
      #expect(await studio.get(path).status == 200)
    }
    #expect(studio.loader.callCount == 3)
  }

  // MARK: What a source says

  private static let answers: [ImageOrder.Content] = [.picture, .original, .info]

  @Test(arguments: answers) func whatIsPrivateIsKeptNowhereInAnyForm(_ answer: ImageOrder.Content) async throws {
    let studio = studio()
    studio.order { $0.answer = answer }
    try studio.place(headers: ["Cache-Control": "private"])
    #expect(await studio.get().headers["Cache-Control"] == "private, no-store")
  }

  @Test(arguments: answers) func everyFormIsAsFreshAsItsOriginal(_ answer: ImageOrder.Content) async throws {
    let studio = studio { $0.followsSource = true }
    studio.order { $0.answer = answer }
    try studio.place(headers: ["Cache-Control": "max-age=30"])
    #expect(await studio.get().headers["Cache-Control"] == "public, max-age=30")
  }

  @Test(arguments: [
    ("max-age=30", "public, max-age=30, stale-while-revalidate=50, stale-if-error=1000"),
    ("max-age=30, Must-Revalidate", "public, max-age=30, must-revalidate"),
    ("max-age=30, proxy-revalidate", "public, max-age=30, must-revalidate"),
    ("No-Cache", "public, max-age=0, must-revalidate"),
    ("max-age=30, stale-while-revalidate=5", "public, max-age=30, stale-while-revalidate=5"),
    ("max-age=30, stale-while-revalidate=0, stale-if-error=\"7\"", "public, max-age=30, stale-if-error=7"),
  ])
  func nothingIsOlderThanItsSourceAllows(_ control: String, _ field: String) async throws {
    let studio = studio { ($0.followsSource, $0.staleWhileRevalidate, $0.staleIfError) = (true, 50, 1000) }
    studio.order()
    try studio.place(headers: ["Cache-Control": control])
    #expect(await studio.get().headers["Cache-Control"] == field)
  }
}
