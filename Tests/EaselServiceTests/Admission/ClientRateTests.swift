import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselService

/// The requests that one client may send.
struct ClientRateTests {
  private static let (alice, bob) = (AdmissionClient(named: "alice"), AdmissionClient(named: "bob"))

  @Test func aBucketFillsAgainAtItsRate() {
    let rates = ClientRates(ClientRate(perSecond: 2, burst: 3))
    for _ in 0..<3 { #expect(rates.take(by: Self.alice, at: .seconds(10)) == nil) }
    #expect(rates.take(by: Self.alice, at: .seconds(10)) == .milliseconds(500))
    #expect(rates.take(by: Self.bob, at: .seconds(10)) == nil, "Others have buckets of their own.")
    #expect(rates.take(by: Self.alice, at: .seconds(10) + .milliseconds(250)) == .milliseconds(250))
    #expect(rates.take(by: Self.alice, at: .seconds(11)) == nil && rates.take(by: Self.alice, at: .seconds(11)) == nil)
    #expect(rates.take(by: Self.alice, at: .seconds(11)) != nil)
    // A long pause fills it, and no more than that.
    for _ in 0..<3 { #expect(rates.take(by: Self.alice, at: .seconds(1000)) == nil) }
    #expect(rates.take(by: Self.alice, at: .seconds(1000)) != nil)
  }

  @Test func theTableKeepsItsBoundAndThoseWhoSend() {
    let rates = ClientRates(ClientRate(perSecond: 1, burst: 2), capacity: 10)
    for _ in 0..<2 { _ = rates.take(by: Self.alice, at: .seconds(100)) }
    for number in 0..<100 {
      _ = rates.take(by: AdmissionClient(named: "\(number)"), at: .seconds(100))
      _ = rates.take(by: Self.alice, at: .seconds(100))
      #expect(rates.count <= 10)
    }
    // All who have paused are forgotten first.
    for number in 0..<20 { _ = rates.take(by: AdmissionClient(named: "\(number)"), at: .seconds(200)) }
    #expect(rates.count <= 10)
  }

  @Test func aClientBeyondItsRateGets429() async throws {
    let studio = ServiceStudio { $0.clientRate = ClientRate(perSecond: 1, burst: 2) }
    studio.order()
    try studio.place()
    func request(_ address: String?, _ path: String = "/p") -> ServiceRequest {
      ServiceRequest(target: path, clientAddress: address)
    }
    for _ in 0..<2 { #expect(await studio.service.response(to: request("192.0.2.1")).status == 200) }
    let refused = try #require(studio.service.immediateResponse(to: request("192.0.2.1")))
    #expect(refused.status == 429 && refused.headers["Retry-After"] == "1")
    #expect(refused.headers["Cache-Control"] == "no-store")
    #expect(refused.text.contains("more requests than the server takes"))
    #expect(studio.service.metricsText.contains(#"easel_rejected_total{reason="client_rate"} 1"#))
    // Others, those whose address is not known, and probes have no part in it.
    for address in ["192.0.2.2", nil] { #expect(await studio.service.response(to: request(address)).status == 200) }
    for _ in 0..<5 { #expect(studio.service.immediateResponse(to: request(nil))?.status == 200) }
    #expect(studio.service.immediateResponse(to: request("192.0.2.1", "/health"))?.status == 200)
    studio.clock.advance(by: .seconds(1))
    #expect(studio.service.immediateResponse(to: request("192.0.2.1"))?.status == 200)
  }

  @Test func aRequestThatWaitsCountsOnce() async throws {
    let studio = ServiceStudio { $0.clientRate = ClientRate(perSecond: 1, burst: 1) }
    studio.order()
    try studio.place()
    var request = ServiceRequest(target: "/p", clientAddress: "192.0.2.1")
    #expect(studio.service.immediateResponse(to: request) == nil)
    // As the listener goes on.
    request.isCounted = true
    #expect(await studio.service.response(to: request).status == 200)
    request.isCounted = false
    #expect(studio.service.immediateResponse(to: request)?.status == 429)
  }
}
