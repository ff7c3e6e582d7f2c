import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselService
@testable import EaselTiers

/// Requests to purge over HTTP.
struct PurgeCallTests {
  private static let signer = URLSigner([URLSigner.Key(key: [1, 2, 3], salt: [4, 5])])
  private static let target = PurgeCall.target([.source("https://host/a.jpg?x=1&y"), .tag("cats"), .everything])

  private func post(_ studio: ServiceStudio, _ target: String) async -> ServiceResponse {
    let request = ServiceRequest(method: "POST", target: target)
    #expect(studio.service.immediateResponse(to: request) == nil)
    return await studio.service.response(to: request)
  }

  private func now(_ studio: ServiceStudio) -> UInt64 { UInt64(studio.clock.date.timeIntervalSince1970 * 1000) }

  @Test func aTargetNamesPurges() throws {
    let call = try PurgeCall(Self.target[...])
    #expect(call.purges == [.source("https://host/a.jpg?x=1&y"), .tag("cats"), .everything])
    #expect(call.time == nil && call.signature == nil)
    let more = try PurgeCall("/purge?source=https://host/b/&time=12&all=1")
    #expect(more.purges == [.sources(beginningWith: "https://host/b/"), .everything] && more.time == 12)
  }

  @Test(arguments: [
    ("/purge", "Name the pictures"), ("/purge?", "Name the pictures"), ("/purge?time=1", "Name the pictures"),
    ("/purge?uri=x", "not 'uri'"), ("/purge?all&time=soon", "number of milliseconds"),
    ("/purge?all&signature=x&time=1", "last part"), ("/purge?url=%zz", "two digits"),
    ("/purge?" + String(repeating: "all&", count: 1001), "at most 1000"),
  ])
  func whatIsWrongIsSaid(target: String, text: String) {
    let error = #expect(throws: ServiceError.self) { try PurgeCall(target[...]) }
    #expect(error?.status == 400 && error?.message.contains(text) == true, "\(error?.message ?? "")")
  }

  @Test func aSignedRequestPurges() async throws {
    let studio = ServiceStudio { ($0.purgeSigner, $0.pathPrefix) = (Self.signer, "/pics") }
    studio.order()
    try studio.place()
    _ = await studio.get("/pics/p")
    let signed = try #require(Self.signer.signedPurge(Self.target, at: now(studio)))
    let answer = await post(studio, "/pics" + signed)
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json")
    #expect(answer.headers["Cache-Control"] == "no-store" && answer.text.contains(#""standing":"confirmed""#))
    #expect(studio.atOnce("/pics/p") == nil && answer.details.route == .purge)
    // A second time it changes nothing but the number.
    #expect(await post(studio, "/pics" + signed).status == 200)
  }

  @Test func aRequestThatIsNotSignedRightlyIsRefused() async throws {
    let studio = ServiceStudio { $0.purgeSigner = Self.signer }
    let signed = try #require(Self.signer.signedPurge(Self.target, at: now(studio)))
    let stranger = URLSigner([URLSigner.Key(key: [9])])
    let cases = [
      (Self.target, "needs a time and a signature"), (Self.target + "&signature=x", "needs a time"),
      (signed + "x", "is wrong"), (signed.replacing("cats", with: "dogs"), "is wrong"),
      (String(signed.dropLast(3)), "is wrong"),
      (try #require(stranger.signedPurge(Self.target, at: now(studio))), "is wrong"),
      (try #require(Self.signer.signedPurge(Self.target, at: now(studio) - 61_000)), "61 seconds ago"),
      (try #require(Self.signer.signedPurge(Self.target, at: now(studio) + 62_000)), "62 seconds in the future"),
      (try #require(Self.signer.signedPurge(Self.target, at: .max)), "in the future"),
    ]
    for (target, text) in cases {
      let answer = await post(studio, target)
      #expect(answer.status == 403 && answer.text.contains(text), "\(target): \(answer.text)")
    }
    #expect(studio.service.purges.figures.purges == 0)
  }

  @Test func signaturesOfPicturesAreNoneOfPurges() {
    let path = "/purge?all&time=1"
    let ofPicture = Self.signer.signed(path).dropFirst().prefix { $0 != "/" }
    #expect(!Self.signer.acceptsPurge(ofPicture, of: PurgeCall.signed(path)))
  }

  @Test func aServerWithoutAKeyTakesNone() async throws {
    let studio = ServiceStudio()
    let answer = await post(studio, "/purge?all")
    #expect(answer.status == 403 && answer.text.contains("metrics address only"))
    // Other paths and methods are answered as ever.
    #expect(await studio.get("/p", method: "POST").status == 405)
    #expect(await studio.get("/purge").status == 403)
    let body = ServiceRequest(method: "POST", target: "/purge?all", hasBody: true)
    #expect(await studio.service.response(to: body).status == 405)
  }

  @Test func theMetricsAddressTakesThemUnsigned() async throws {
    let studio = ServiceStudio()
    studio.order()
    try studio.place()
    _ = await studio.get()
    let endpoint = MetricsEndpoint(studio.service.metrics, purge: { await studio.service.carryOut($0) })
    let request = ServiceRequest(method: "POST", target: "/purge?all&time=\(now(studio) + 5000)")
    #expect(endpoint.immediateResponse(to: request) == nil)
    let answer = await endpoint.response(to: request)
    #expect(answer.status == 200 && answer.text.contains(#""complete":true"#))
    #expect(studio.atOnce() == nil)
    #expect(studio.service.metricsText.contains("easel_purges_total 1"))
    let wrong = await endpoint.response(to: ServiceRequest(method: "POST", target: "/purge?x=1"))
    #expect(wrong.status == 400 && wrong.text.contains("not 'x'"))
    #expect(endpoint.immediateResponse(to: ServiceRequest(target: "/purge"))?.status == 405)
    // A page that an operator looks at could send it.
    let page = ServiceRequest(method: "POST", target: "/purge?all", headers: ["Origin": "https://evil.example"])
    #expect(await endpoint.response(to: page).status == 403 && studio.service.purges.figures.purges == 1)
    // Without a service behind them, metrics take none.
    let metrics = MetricsEndpoint(studio.service.metrics)
    #expect(metrics.immediateResponse(to: request)?.status == 405)
  }
}
