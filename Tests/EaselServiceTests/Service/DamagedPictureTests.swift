import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselService

/// Pictures whose files are damaged.
struct DamagedPictureTests {
  private static func withoutEnd() throws -> [UInt8] { try ServiceStudio.picture(.jpeg).dropLast(2) }

  private static func half() throws -> [UInt8] {
    let picture = try ServiceStudio.picture(.jpeg)
    return Array(picture.prefix(picture.count * 3 / 4))
  }

  @Test func withoutAnEndAPictureIsServedLikeAnyOther() async throws {
    let studio = ServiceStudio()
    studio.order()
    try studio.place(Self.withoutEnd())
    let answer = await studio.get()
    #expect(answer.status == 200 && answer.headers["X-Easel-Damaged"] == nil)
    #expect(answer.headers["Cache-Control"]?.hasPrefix("public, max-age=31536000") == true)
    #expect(studio.atOnce()?.bytes == answer.bytes)
  }

  @Test func theServersRuleIsForURLsThatSayNothing() async throws {
    let studio = ServiceStudio { $0.damaged = .refuse }
    studio.order()
    studio.order(at: "/whole") { $0.damaged = .whole }
    try studio.place(Self.withoutEnd())
    #expect(await studio.get("/whole").status == 200)
    #expect(await studio.get().status == 422)
  }

  @Test func aPartIsNamedAndKeptForAShortTime() async throws {
    let studio = ServiceStudio()
    studio.order()
    studio.order(at: "/show") { $0.damaged = .show }
    studio.order(at: "/info") { ($0.damaged, $0.answer) = (.show, .info) }
    try studio.place(Self.half())
    #expect(await studio.get().status == 422)
    let part = await studio.get("/show")
    #expect(part.status == 200 && part.headers["X-Easel-Damaged"] == "partial")
    #expect(part.headers["Cache-Control"] == "public, max-age=60")
    let facts = await studio.get("/info")
    #expect(facts.status == 200 && facts.headers["X-Easel-Damaged"] == "partial")
    #expect(facts.headers["Cache-Control"] == "public, max-age=60")
    // No cache has it, and yet nobody decodes it again for a minute.
    #expect(studio.atOnce("/show") == nil && studio.service.parts.count == 1)
    let decodes = studio.count("decoded")
    let again = await studio.get("/show")
    #expect(again.bytes == part.bytes && again.headers["X-Easel-Damaged"] == "partial")
    #expect(studio.count("decoded") == decodes)
    studio.clock.advance(by: .seconds(60))
    #expect(await studio.get("/show").bytes == part.bytes)
    #expect(studio.count("decoded") > decodes)
  }

  @Test func aPictureThatIsNotDamagedIsTheSameByAllRules() async throws {
    let studio = ServiceStudio()
    try studio.place()
    for rule in DamagePolicy.allCases {
      studio.order(at: "/\(rule)") { $0.damaged = rule }
      let answer = await studio.get("/\(rule)")
      #expect(answer.status == 200 && answer.headers["X-Easel-Damaged"] == nil)
      #expect(studio.atOnce("/\(rule)")?.bytes == answer.bytes)
    }
  }

  @Test func aPartOfAPrivatePictureIsNotKept() async throws {
    let studio = ServiceStudio()
    studio.order { $0.damaged = .show }
    try studio.place(Self.half(), headers: ["Cache-Control": "private"])
    let part = await studio.get()
    #expect(part.headers["Cache-Control"] == "private, no-store" && part.headers["X-Easel-Damaged"] == "partial")
    #expect(studio.service.parts.count == 0)
  }

  @Test func thePartsThatAreKeptTakeBoundedMemory() async throws {
    let studio = ServiceStudio()
    try studio.place(Self.half())
    studio.order { $0.damaged = .show }
    _ = await studio.get()
    let manager = studio.service.manager
    let request = ImageRequest(url: ServiceStudio.source, context: [.damaged(.show)])
    let recipe = EncodeRecipe(firstOf: [.jpeg])
    let part = try await manager.encoded(for: request, as: recipe)
    #expect(part.isPartial)
    let cost = part.bytes.memoryCost
    let parts = RecentPartialImages(mostBytes: 8 * cost, time: .seconds(60), clock: studio.clock)
    for index in 0..<100 {
      parts.insert(part, for: RecentPartialImages.Name(key: CacheKey(original: "\(index)"), recipe: recipe))
      #expect((1...8).contains(parts.count))
    }
    let large = RecentPartialImages(mostBytes: 2 * cost, time: .seconds(60), clock: studio.clock)
    large.insert(part, for: RecentPartialImages.Name(key: CacheKey(original: "a"), recipe: recipe))
    #expect(large.count == 0)
  }
}
