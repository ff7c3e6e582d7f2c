import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore

/// A picture behind redirects is fresh only as long as the redirects are.
struct RedirectFreshnessTests {
  /// Redirects, and the seconds for which they are fresh; nil means for ever.
  struct Way: Sendable, CustomTestStringConvertible {
    let redirects: [ResponseHead]
    let lasts: Double?

    init(_ lasts: Double?, _ redirects: (status: Int, headers: HTTPHeaders)...) {
      self.redirects = redirects.map { ResponseHead(status: $0.status, headers: $0.headers) }
      self.lasts = lasts
    }

    var testDescription: String { redirects.map { "\($0.status!) \($0.headers.fields.map(\.value))" }.joined() }
  }

  private static let ways: [Way] = [
    Way(0, (302, [:])), Way(0, (303, [:])), Way(0, (307, [:])), Way(nil, (301, [:])), Way(nil, (308, [:])),
    Way(0, (302, ["Cache-Control": "no-store"])), Way(0, (301, ["Cache-Control": "no-store"])),
    Way(0, (302, ["Cache-Control": "no-cache, max-age=60"])), Way(0, (308, ["Cache-Control": "no-cache"])),
    Way(60, (302, ["Cache-Control": "max-age=60"])), Way(60, (301, ["Cache-Control": "max-age=60"])),
    Way(40, (307, ["Cache-Control": "max-age=60", "Age": "20"])), Way(60, (303, ["Expires": HTTPRule.date(60)])),
    Way(0, (302, ["Last-Modified": HTTPRule.date(-1000)])),
    Way(0, (302, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"])),
    Way(60, (302, ["Cache-Control": "max-age=60", "Vary": "accept-encoding"])),
    Way(30, (302, ["Cache-Control": "max-age=60"]), (301, [:]), (302, ["Cache-Control": "max-age=30"])),
    Way(0, (302, ["Cache-Control": "max-age=60"]), (302, [:])),
  ]

  private let url = URL(string: "http://host/latest")!
  private let target = URL(string: "http://host/a.toy")!
  private let older = ToyImage(width: 8, height: 6, seed: 7)
  private let newer = ToyImage(width: 16, height: 16, seed: 9)

  private func answer(_ picture: ToyImage, behind way: Way, _ headers: HTTPHeaders) -> FakeLoader.Script {
    var script = FakeLoader.Script.body(picture.bytes, headers: headers)
    var head = ResponseHead(url: target, status: 200, headers: headers, expectedLength: picture.bytes.count)
    head.redirects = way.redirects
    script.steps[0] = .head(head)
    return script
  }

  @Test(arguments: ways, [false, true])
  func aPictureIsFreshAsLongAsTheWayToIt(_ way: Way, afterRestart: Bool) async throws {
    var house = try CachingHouse { $0.cachePolicy = .http }
    let headers: HTTPHeaders = ["Cache-Control": "max-age=1000", "ETag": "\"1\""]
    house.loader.script(url, answer(older, behind: way, headers), answer(newer, behind: way, [:]))
    _ = try await house.load(url)
    if afterRestart { house = await house.reopened() }
    if way.lasts != 0 {
      house.clock.advance(by: .seconds((way.lasts ?? 1000) - 1))
      #expect(try await house.load(url).source == (afterRestart ? .disk : .memory))
      house.clock.advance(by: .seconds(1))
    }
    #expect(house.manager.cachedImage(for: url) == nil)
    #expect(try await house.load(url).image.bitmap == newer.expectedBitmap())
    let calls = house.loader.calls(for: url)
    #expect(calls.count == 2)
    #expect(calls.last?.request.headers["If-None-Match"] == "\"1\"")
    #expect(calls.last?.request.validatedURL == target)
  }

  @Test(arguments: [false, true])
  func aNotModifiedBringsTheRedirectsOfItsOwnWay(_ afterRestart: Bool) async throws {
    var house = try CachingHouse { $0.cachePolicy = .http }
    let (short, long) = (
      Way(10, (302, ["Cache-Control": "max-age=10"])), Way(90, (302, ["Cache-Control": "max-age=90"]))
    )
    var confirmation = ResponseHead(url: target, status: 304)
    confirmation.redirects = long.redirects
    house.loader.script(
      url, answer(older, behind: short, ["Cache-Control": "max-age=1000", "ETag": "\"1\""]),
      FakeLoader.Script(end: .result(.notModified(confirmation))))
    _ = try await house.load(url)
    house.clock.advance(by: .seconds(10))
    #expect(try await house.load(url).source == .revalidated)
    if afterRestart { house = await house.reopened() }
    house.clock.advance(by: .seconds(89))
    #expect(try await house.load(url).source == (afterRestart ? .disk : .memory))
    house.clock.advance(by: .seconds(1))
    #expect(try await house.load(url).source == .revalidated)
  }

  @Test func aWayThatIsNotTrustedIsNotServedWhileTheServerIsAsked() async throws {
    let house = try CachingHouse { $0.cachePolicy = .http }
    let way = Way(0, (302, [:]))
    house.loader.script(
      url, answer(older, behind: way, ["Cache-Control": "max-age=10, stale-while-revalidate=1000"]),
      answer(newer, behind: way, [:]))
    _ = try await house.load(url)
    #expect(try await house.load(url).image.bitmap == newer.expectedBitmap())
  }

  @Test func withoutThePolicyRedirectsChangeNothing() async throws {
    let house = try CachingHouse { _ in }
    house.loader.script(url, answer(older, behind: Way(0, (302, ["Cache-Control": "no-store"])), [:]))
    _ = try await house.load(url)
    #expect(try await house.load(url).source == .memory)
    #expect(try await house.reopened().load(url).source == .disk)
  }
}
