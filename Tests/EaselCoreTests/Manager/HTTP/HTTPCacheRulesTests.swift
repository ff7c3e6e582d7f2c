import FoundationEssentials
import Testing

@testable import EaselCore

/// RFC 9111 for a cache that serves one user, rule by rule.
struct HTTPCacheRulesTests {
  private static let start = Date(timeIntervalSince1970: 1_000_000_000)

  private static func date(_ offset: Double) -> String { HTTPDate.text(start.addingTimeInterval(offset)) }

  private static func rules(
    _ headers: HTTPHeaders, status: Int = 200, delay: Double = 0, varying: HTTPHeaders = [:]
  ) -> HTTPCacheRules {
    HTTPCacheRules(
      ResponseRecord(
        status: status, headers: headers, requested: start.addingTimeInterval(-delay), received: start,
        varyingFields: varying))
  }

  /// A case: the fields, how long the answer took, and for how many seconds after it came it is fresh.
  private struct Lifetime: Sendable, CustomTestStringConvertible {
    let headers: HTTPHeaders
    var status = 200
    var delay = 0.0
    let seconds: Double
    var testDescription: String { "\(headers.fields.map { "\($0.name): \($0.value)" }) \(status) \(delay)" }
  }

  private static let lifetimes: [Lifetime] = [
    Lifetime(headers: [:], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=60"], seconds: 60),
    // Age counts against it, and so does the time that the answer took.
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "20"], seconds: 40),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "100"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=60"], delay: 15, seconds: 45),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "20"], delay: 15, seconds: 25),
    // Of several ages the first counts; one that is no number does not.
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "10, 50"], seconds: 50),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "-10"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "soon"], seconds: 60),
    // The date of the origin tells an age of its own; the larger counts.
    Lifetime(headers: ["Cache-Control": "max-age=60", "Date": date(-30)], seconds: 30),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Date": date(-30), "Age": "40"], seconds: 20),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Date": date(500)], seconds: 60),
    // max-age beats Expires, also when it is worse; a shared cache's limit is not ours.
    Lifetime(headers: ["Cache-Control": "max-age=60", "Expires": date(9)], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=0", "Expires": date(900)], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=soon", "Expires": date(900)], seconds: 0),
    Lifetime(headers: ["Cache-Control": "s-maxage=600, max-age=60"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "s-maxage=600"], seconds: 0),
    // Expires counts from Date; what is no date is in the past.
    Lifetime(headers: ["Expires": date(60)], seconds: 60),
    Lifetime(headers: ["Expires": date(60), "Date": date(-10)], seconds: 60),
    Lifetime(headers: ["Expires": "0"], seconds: 0),
    Lifetime(headers: ["Expires": date(-60), "Last-Modified": date(-86_400)], seconds: 0),
    // The heuristic: a tenth of the time since the last change, a day at most, for statuses that allow it.
    Lifetime(headers: ["Last-Modified": date(-1000)], seconds: 100),
    Lifetime(headers: ["Last-Modified": date(-1000)], status: 404, seconds: 100),
    Lifetime(headers: ["Last-Modified": date(-1000)], status: 500, seconds: 0),
    Lifetime(headers: ["Last-Modified": date(-100_000_000)], seconds: 86_400),
    Lifetime(headers: ["Last-Modified": date(1000)], seconds: 0),
    // No-cache may be stored and is never fresh.
    Lifetime(headers: ["Cache-Control": "max-age=60, no-cache"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "private, max-age=60, must-revalidate"], seconds: 60),
  ]

  @Test(arguments: lifetimes.indices) func freshness(_ index: Int) {
    let lifetime = Self.lifetimes[index]
    let rules = Self.rules(lifetime.headers, status: lifetime.status, delay: lifetime.delay)
    let end = Self.start.addingTimeInterval(lifetime.seconds)
    #expect(!rules.isFresh(at: end), "\(lifetime.testDescription)")
    guard lifetime.seconds > 0 else { return #expect(!rules.isFresh(at: Self.start)) }
    #expect(rules.isFresh(at: end.addingTimeInterval(-1)), "\(lifetime.testDescription)")
  }

  @Test func aClockThatWentBackMakesNothingOlder() {
    #expect(Self.rules(["Cache-Control": "max-age=60"]).isFresh(at: Self.start.addingTimeInterval(-1000)))
  }

  /// Fields, and for how many seconds after they came they may be used while the server is asked, or fails.
  private static let graces: [(HTTPHeaders, while: Double, error: Double)] = [
    (["Cache-Control": "max-age=10"], 10, 0),
    (["Cache-Control": "max-age=10, stale-while-revalidate=20"], 30, 0),
    (["Cache-Control": "max-age=10, stale-if-error=30"], 10, 40),
    (["Cache-Control": "max-age=10, stale-while-revalidate=5, stale-if-error=30"], 15, 40),
    (["Cache-Control": "max-age=10, stale-while-revalidate=5, stale-if-error=30, must-revalidate"], 0, 0),
    (["Cache-Control": "max-age=10, stale-while-revalidate=5, stale-if-error=30, no-cache"], 0, 0),
    (["Cache-Control": "max-age=10, stale-if-error=soon"], 10, 0),
    (["Cache-Control": "max-age=10, stale-if-error=30, proxy-revalidate"], 10, 40),
  ]

  @Test(arguments: graces.indices) func staleUse(_ index: Int) {
    let (headers, meanwhile, onError) = Self.graces[index]
    let rules = Self.rules(headers)
    for second in stride(from: 0.0, through: 60, by: 1) {
      let now = Self.start.addingTimeInterval(second)
      #expect(rules.mayServeWhileRevalidating(at: now) == (second < meanwhile), "\(headers.fields) \(second)")
      #expect(rules.mayServeOnError(at: now) == (second < onError), "\(headers.fields) \(second)")
    }
  }

  @Test(
    arguments: [
      (["Cache-Control": "max-age=1"], true), (["Cache-Control": "no-store"], false),
      (["Cache-Control": "private"], true),
      (["Cache-Control": "no-cache"], true), (["Vary": "*"], false), (["Vary": "Accept, *"], false),
      (["Vary": "Accept"], true), ([:], true),
    ] as [(HTTPHeaders, Bool)])
  func storing(_ headers: HTTPHeaders, _ mayStore: Bool) {
    #expect(Self.rules(headers).mayStore == mayStore)
  }

  @Test(
    arguments: [
      ([:], [:], ["Accept": "a"], true), (["Vary": "Accept"], ["Accept": "a"], ["Accept": "a"], true),
      (["Vary": "Accept"], ["Accept": "a"], ["accept": "a"], true),
      (["Vary": "Accept"], ["Accept": "a"], ["Accept": "b"], false), (["Vary": "Accept"], ["Accept": "a"], [:], false),
      (["Vary": "Accept"], [:], [:], true),
      (["Vary": "Accept, DPR"], ["Accept": "a", "DPR": "2"], ["Accept": "a"], false),
      (["Vary": "accept,dpr"], ["Accept": "a", "DPR": "2"], ["Accept": "a", "DPR": "2"], true),
      (["Vary": "*"], [:], [:], false),
    ] as [(HTTPHeaders, HTTPHeaders, HTTPHeaders, Bool)])
  func varying(_ headers: HTTPHeaders, _ first: HTTPHeaders, _ second: HTTPHeaders, _ matches: Bool) {
    let head = ResponseHead(status: 200, headers: headers)
    let kept = HTTPCacheRules.varyingFields(of: head, in: first)
    #expect(Self.rules(headers, varying: kept).matches(second) == matches)
  }

  @Test func validatorsMakeTheConditions() {
    #expect(Self.rules([:]).conditions.isEmpty)
    let fields = Self.rules(["ETag": "W/\"1\"", "Last-Modified": Self.date(-9)]).conditions
    #expect(fields["If-None-Match"] == "W/\"1\"" && fields["If-Modified-Since"] == Self.date(-9))
  }

  @Test func aNotModifiedRenewsTheFieldsExceptThoseOfTheBody() {
    let rules = Self.rules([
      "Cache-Control": "max-age=10", "ETag": "\"1\"", "Content-Type": "image/png", "Age": "5", "X-Kept": "1",
      "Date": Self.date(0), "Content-Length": "9",
    ])
    let later = Self.start.addingTimeInterval(100)
    let record = rules.renewed(
      by: ResponseHead(
        status: 304,
        headers: ["Cache-Control": "max-age=50", "ETag": "\"2\"", "Content-Type": "text/html", "Content-Length": "0"]),
      requested: later.addingTimeInterval(-5), received: later)
    #expect(record.status == 200)
    #expect(record.headers["ETag"] == "\"2\"" && record.headers["X-Kept"] == "1")
    #expect(record.headers["Content-Type"] == "image/png" && record.headers["Content-Length"] == "9")
    // The old age and date say nothing of the new answer, and the time that it took counts.
    let renewed = HTTPCacheRules(record)
    #expect(renewed.isFresh(at: later.addingTimeInterval(44)))
    #expect(!renewed.isFresh(at: later.addingTimeInterval(45)))
  }
}
