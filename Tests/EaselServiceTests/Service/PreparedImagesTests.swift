import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselService
@testable import EaselTiers

/// Addresses that are read once for many requests.
struct PreparedImagesTests {
  private func picture() throws -> PreparedImage {
    let settings = ServiceSettings(
      ImageService.Configuration(
        ImageManager.Configuration(loader: FakeLoader(), coder: CoderRegistry(), cache: TieredCache()), signer: nil))
    let exchange = ServiceExchange(ServiceRequest(target: "/unsafe/plain/https://host/a"), settings)
    let place = try #require(MountedAddress("/unsafe/plain/https://host/a", among: settings.mounts))
    let wanted = try WantedImage(place, exchange, Date(timeIntervalSince1970: 0))
    return PreparedImage(
      wanted, WantedImage.Plan(request: wanted.request(), recipe: EncodeRecipe(.png), meanwhile: nil))
  }

  private func key(_ number: Int) -> PreparedImages.Key {
    PreparedImages.Key(target: "/\(number)", accept: nil, hints: .none, hops: nil)
  }

  @Test func theLatestAreKept() throws {
    let (pictures, picture) = (PreparedImages(capacity: 10), try picture())
    for number in 0..<1000 {
      pictures.insert(picture, for: key(number))
      #expect(pictures.count <= 10 && pictures[key(number)] != nil)
      // Whoever is asked for again and again stays.
      if number > 0 { #expect(pictures[key(0)] != nil) }
    }
    #expect(pictures[key(500)] == nil && pictures[key(999)] != nil)
  }

  @Test func answersOfOneMomentShareTheirFields() async throws {
    let studio = ServiceStudio()
    studio.order()
    try studio.place()
    #expect(await studio.get().status == 200)
    func fields(_ answer: ServiceResponse) -> Set<HTTPHeaders.Field> {
      Set(answer.headers.fields.filter { $0.name != "X-Request-ID" })
    }
    let (first, second) = (try #require(studio.atOnce()), try #require(studio.atOnce()))
    #expect(first.prepared == nil && second.prepared != nil)
    #expect(fields(first) == fields(second) && first.bytes == second.bytes)
    #expect(first.headers["X-Request-ID"] != second.headers["X-Request-ID"])
    #expect(first.details.cache == second.details.cache && first.details.format == second.details.format)
    let request = ServiceRequest(method: "HEAD", target: "/p")
    let head = try #require(studio.service.immediateResponse(to: request))
    #expect(fields(head) == fields(second) && head.body.isEmpty)
    let tag = try #require(second.headers["ETag"])
    #expect(studio.atOnce("/p", ["If-None-Match": tag])?.status == 304)
    studio.clock.advance(by: .seconds(1))
    let later = try #require(studio.atOnce())
    #expect(later.prepared == nil && later.bytes == first.bytes)
  }

  @Test func requestsThatMayDifferHaveKeysOfTheirOwn() throws {
    let studio = ServiceStudio {
      $0.negotiatedFormats = [.webp]
      $0.usesClientHints = true
    }
    let settings = ServiceSettings(
      ImageService.Configuration(
        ImageManager.Configuration(loader: FakeLoader(), coder: CoderRegistry(), cache: TieredCache()), signer: nil))
    func key(_ headers: HTTPHeaders, of settings: ServiceSettings) -> PreparedImages.Key? {
      PreparedImages.key(of: ServiceExchange(ServiceRequest(target: "/p", headers: headers), settings), "/p")
    }
    let hinted = studio.service.settings
    let keys = [
      [:], ["Accept": "image/webp"], ["Accept": "*/*"], ["DPR": "2"], ["Width": "64"], ["X-Easel-Hop": "1"],
    ].map { key($0, of: hinted) }
    #expect(Set(keys).count == keys.count && !keys.contains(nil))
    // Without negotiation, the fields mean nothing.
    #expect(key(["Accept": "image/webp", "DPR": "2"], of: settings) == key([:], of: settings))
    #expect(key(["Accept": String(repeating: "a", count: 300)], of: hinted) == nil)
    let long = String(repeating: "a", count: 3000)
    #expect(PreparedImages.key(of: ServiceExchange(ServiceRequest(target: long), settings), long[...]) == nil)
  }

  @Test func whatIsKeptStillExpires() async throws {
    let studio = ServiceStudio()
    try studio.place()
    let now = Int(studio.clock.date.timeIntervalSince1970)
    studio.order { $0.expires = now + 10 }
    #expect(await studio.get().status == 200)
    #expect(studio.atOnce()?.status == 200 && studio.atOnce()?.status == 200)
    studio.clock.advance(by: .seconds(10))
    #expect(studio.atOnce()?.status == 410)
  }

  @Test func aNewGenerationHasANewValidator() async throws {
    let studio = ServiceStudio {
      $0.cacheLifetime.timeToLive = 10
      $0.cacheLifetime.staleWhileRevalidate = 0
    }
    studio.order()
    studio.loader.script(
      ServiceStudio.source, .body(try ServiceStudio.picture(.jpeg)), .body(try ServiceStudio.picture(.jpeg, seed: 9)))
    _ = await studio.get()
    let first = studio.atOnce()?.headers["ETag"]
    studio.clock.advance(by: .seconds(10))
    #expect(studio.atOnce() == nil)
    let second = await studio.get().headers["ETag"]
    #expect(first != nil && first != second && studio.atOnce()?.headers["ETag"] == second)
  }

  @Test func addressesWithoutAPictureAreNotKept() async throws {
    let studio = ServiceStudio()
    studio.order()
    studio.loader.script(ServiceStudio.source, .status(404))
    #expect(await studio.get().status == 404)
    for number in 0..<20 { _ = studio.atOnce("/unknown\(number)") }
    #expect(studio.service.prepared.count == 0)
    try studio.place()
    studio.clock.advance(by: .seconds(60))
    _ = await studio.get()
    _ = studio.atOnce()
    #expect(studio.service.prepared.count == 1)
  }

  /// No signature covers a query, so that anybody could fill the table with them.
  @Test func aQueryMakesNoEntry() async throws {
    let studio = ServiceStudio()
    studio.order()
    try studio.place()
    _ = await studio.get()
    for number in 0..<20 { #expect(studio.atOnce("/p?x=\(number)")?.status == 200) }
    #expect(studio.service.prepared.count == 1 && studio.loader.callCount == 1)
  }
}
