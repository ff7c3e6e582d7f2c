import EaselSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselHTTP

/// RFC 9111 for a private cache, rule by rule.
struct HTTPCacheRulesTests {
  private static let start = Date(timeIntervalSince1970: 1_000_000_000)

  private static func date(_ offset: Double) -> String { HTTPDate.text(start.addingTimeInterval(offset)) }

  private static func rules(
    _ headers: HTTPHeaders, status: Int = 200, delay: Double = 0, varying: HTTPHeaders = [:]
  ) -> HTTPCacheRules {
    HTTPCacheRules(
      CacheRecord.Response(
        status: status, headers: headers, requested: start.addingTimeInterval(-delay), received: start,
        varyingFields: varying))
  }

  /// A case: the fields, the time that the answer took, and the seconds for which it is fresh after its arrival.
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
    // Both the Age field and the time that the answer took shorten the lifetime.
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "20"], seconds: 40),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "100"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=60"], delay: 15, seconds: 45),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "20"], delay: 15, seconds: 25),
    // The first of several ages counts; an age that is not a number is ignored.
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "10, 50"], seconds: 50),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "10", "Age": "50"], seconds: 50),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "\t,10\t"], seconds: 50),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "soon, 50"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "10.5"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "10;a=b"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "99999999999999999999999"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "-10"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Age": "soon"], seconds: 60),
    // The Date field implies an age too; the larger one counts.
    Lifetime(headers: ["Cache-Control": "max-age=60", "Date": date(-30)], seconds: 30),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Date": date(-30), "Age": "40"], seconds: 20),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Date": date(500)], seconds: 60),
    // max-age beats Expires even when it is shorter; s-maxage, meant for shared caches, is ignored.
    Lifetime(headers: ["Cache-Control": "max-age=60", "Expires": date(9)], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=0", "Expires": date(900)], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=soon", "Expires": date(900)], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=-1"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=-1", "Expires": date(900)], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=60.0"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age='60'"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Cache-Control": "max-age=900"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "x=\"", "Cache-Control": "max-age=60"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "public", "Cache-Control": "no-cache, max-age=60"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=60\t,\tno-cache"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "no-cache=\"Set-Cookie\", max-age=60"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "private=\"Set-Cookie\", max-age=60"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=99999999999999999999"], seconds: 2_147_483_648),
    Lifetime(headers: ["Cache-Control": "max-age=60, immutable"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "immutable"], seconds: 0),
    Lifetime(headers: ["Cache-Control": "s-maxage=600, max-age=60"], seconds: 60),
    Lifetime(headers: ["Cache-Control": "s-maxage=600"], seconds: 0),
    // Expires counts from Date; an invalid date counts as past.
    Lifetime(headers: ["Expires": date(60)], seconds: 60),
    Lifetime(headers: ["Expires": date(60), "Date": date(-10)], seconds: 60),
    Lifetime(headers: ["Expires": "0"], seconds: 0),
    Lifetime(headers: ["Expires": ""], seconds: 0),
    Lifetime(headers: ["Expires": date(60).replacing("GMT", with: "AEST")], seconds: 0),
    Lifetime(headers: ["Expires": date(60), "Expires": date(90)], seconds: 0),
    Lifetime(headers: ["Expires": "0", "Last-Modified": date(-1000)], seconds: 0),
    // An invalid Date is replaced by the time of arrival.
    Lifetime(headers: ["Expires": date(60), "Date": date(-10).replacing("GMT", with: "UTC")], seconds: 60),
    Lifetime(headers: ["Cache-Control": "max-age=60", "Date": "yesterday"], seconds: 60),
    Lifetime(headers: ["Expires": date(60), "Date": date(0), "Age": "20"], seconds: 40),
    Lifetime(headers: ["Pragma": "no-cache", "Cache-Control": "max-age=60"], seconds: 60),
    Lifetime(
      headers: ["Set-Cookie": "a=b", "Clear-Site-Data": "\"cache\"", "Cache-Control": "max-age=60"], seconds: 60),
    Lifetime(headers: ["Expires": date(-60), "Last-Modified": date(-86_400)], seconds: 0),
    // The heuristic: a tenth of the time since the last change, a day at most, for statuses that allow it.
    Lifetime(headers: ["Last-Modified": date(-1000)], seconds: 100),
    Lifetime(headers: ["Last-Modified": date(-1000)], status: 404, seconds: 100),
    Lifetime(headers: ["Last-Modified": date(-1000)], status: 500, seconds: 0),
    Lifetime(headers: ["Last-Modified": date(-100_000_000)], seconds: 86_400),
    Lifetime(headers: ["Last-Modified": date(1000)], seconds: 0),
    Lifetime(headers: ["Last-Modified": date(-1000).replacing("GMT", with: "GMT+1")], seconds: 0),
    Lifetime(headers: ["Last-Modified": date(-1000), "Date": date(-20)], seconds: 78),
    Lifetime(headers: ["Last-Modified": date(-1000)], status: 410, seconds: 100),
    Lifetime(headers: ["Last-Modified": date(-1000)], status: 302, seconds: 0),
    Lifetime(headers: ["Cache-Control": "max-age=60"], status: 599, seconds: 60),
    // A response with no-cache may be stored and is never fresh.
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
    #expect(
      abs(rules.freshSeconds(at: end)) < 0.001 && abs(rules.freshSeconds(at: end.addingTimeInterval(-9)) - 9) < 0.001)
  }

  /// The seconds by which the clock moved since the response came, and whether the response is fresh.
  @Test(arguments: [
    (0.0, true), (-1, true), (-60, true), (-61, false), (-1000, false), (-1e9, false), (-1e300, false), (59, true),
    (60, false), (1e9, false), (1e300, false),
  ])
  func aClockThatIsOrWasWrongKeepsNothingFreshForLong(_ seconds: Double, _ isFresh: Bool) {
    let control = "max-age=60, stale-while-revalidate=60, stale-if-error=60"
    let now = Self.start.addingTimeInterval(seconds)
    for headers: HTTPHeaders in [["Cache-Control": control], ["Expires": Self.date(60), "Date": Self.date(0)]] {
      #expect(Self.rules(headers).isFresh(at: now) == isFresh)
    }
    guard seconds < -60 else { return }
    #expect(!Self.rules(["Cache-Control": control]).mayServeWhileRevalidating(at: now))
    #expect(!Self.rules(["Cache-Control": control]).mayServeOnError(at: now))
    let tolerant = HTTPCacheRules(
      CacheRecord.Response(status: 200, headers: [:], requested: Self.start, received: Self.start),
      answering: ["Cache-Control": "max-stale"])
    #expect(!tolerant.isFresh(at: now))
  }

  @Test func aClockThatJumpedWhileTheAnswerCameMakesItOld() {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
    #expect(!Self.rules(headers, delay: 1e9).isFresh(at: Self.start))
    #expect(Self.rules(headers, delay: -1e9).isFresh(at: Self.start.addingTimeInterval(59)))
    #expect(!Self.rules(headers, delay: -1e9).isFresh(at: Self.start.addingTimeInterval(60)))
  }

  /// The fields of the request, and the seconds for which it accepts a response that is fresh for ten.
  @Test(
    arguments: [
      ([:], 10), (["Cache-Control": "max-age=4"], 4), (["Cache-Control": "max-age=40"], 10),
      (["Cache-Control": "max-age=soon"], 0), (["Cache-Control": "no-cache"], 0), (["Pragma": "no-cache"], 0),
      (["Pragma": "no-cache", "Cache-Control": "max-age=4"], 4), (["Pragma": "other"], 10),
      (["Cache-Control": "min-fresh=3"], 8), (["Cache-Control": "min-fresh=11"], 0),
      (["Cache-Control": "min-fresh"], 10),
      (["Cache-Control": "max-stale=5"], 15), (["Cache-Control": "max-stale"], 60),
      (["Cache-Control": "max-stale=5, max-age=12"], 12), (["Cache-Control": "no-store"], 10),
    ] as [(HTTPHeaders, Double)])
  func wishes(_ fields: HTTPHeaders, _ seconds: Double) {
    for (more, limit) in [("", 60.0), (", must-revalidate", 10)] {
      let record = CacheRecord.Response(
        status: 200, headers: ["Cache-Control": "max-age=10" + more], requested: Self.start, received: Self.start)
      let rules = HTTPCacheRules(record, answering: fields)
      for second in stride(from: 0.0, to: 60, by: 1) {
        let isFresh = rules.isFresh(at: Self.start.addingTimeInterval(second))
        #expect(isFresh == (second < min(seconds, limit)), "\(fields.fields) \(second)\(more)")
      }
    }
  }

  /// Fields, and the seconds after arrival in which a stale response may be used during revalidation or after an error.
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
      (["Vary": "Accept"], true), ([:], true), (["Cache-Control": "max-age=1", "Cache-Control": "no-store"], false),
      (["Cache-Control": "must-understand, max-age=1"], true), (["Cache-Control": "must-understand, no-store"], true),
      (["Cache-Control": "no-store", "Cache-Control": "Must-Understand"], true),
      (["Cache-Control": "no-store, must-understand=\"x\"", "Vary": "*"], false),
      (["Cache-Control": "private=\"x\""], true), (["Set-Cookie": "a=b"], true), (["Pragma": "no-cache"], true),
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
    let kept = HTTPCacheRules.varyingFields(in: headers, of: first)
    #expect(Self.rules(headers, varying: kept).matches(second) == matches)
  }

  @Test(arguments: [(200, true), (404, true), (302, true), (206, false), (299, false), (599, false)])
  func whatMustBeUnderstoodIsStoredWithAStatusThatIs(_ status: Int, _ mayStore: Bool) {
    #expect(Self.rules(["Cache-Control": "must-understand, max-age=9"], status: status).mayStore == mayStore)
    // The directive stands in place of `no-store`, which is there for caches that do not know it.
    let headers: HTTPHeaders = ["Cache-Control": "must-understand, no-store, max-age=9"]
    #expect(Self.rules(headers, status: status).mayStore == mayStore)
    let record = CacheRecord.Response(status: status, headers: headers, requested: Self.start, received: Self.start)
    #expect(record.mayBeShared == mayStore)
    #expect(Self.rules(["Cache-Control": "max-age=9"], status: status).mayStore)
  }

  @Test func fieldsThatAnAnswerVariesWithAreComparedByTheirBytes() {
    let rules = Self.rules(["Vary": "X-Name"], varying: ["X-Name": "\u{e9}"])
    #expect(rules.matches(["X-Name": "\u{e9}"]))
    #expect(!rules.matches(["X-Name": "e\u{301}"]) && !rules.matches([:]))
    #expect(Self.rules(["Vary": "X-Name"]).matches([:]))
  }

  @Test func validatorsMakeTheConditions() {
    #expect(Self.rules([:]).conditions.isEmpty)
    #expect(Self.rules(["Last-Modified": "Sun, 09 Sep 2001 01:46:40 AEST"]).conditions.isEmpty)
    let fields = Self.rules(["ETag": "W/\"1\"", "Last-Modified": Self.date(-9)]).conditions
    #expect(fields["If-None-Match"] == "W/\"1\"" && fields["If-Modified-Since"] == Self.date(-9))
  }

  @Test func theAgeCountsFromTheServersDateOrItsOwnWord() {
    let now = Self.start.addingTimeInterval(30.9)
    for (headers, delay, age) in [
      ([:], 0, 30), (["Age": "5"], 0, 35), (["Age": "5"], 4, 39), (["Date": Self.date(-100)], 0, 130),
      (["Age": "9999999999"], 0, 2_147_483_648),
    ] as [(HTTPHeaders, Double, Int)] {
      #expect(Self.rules(headers, delay: delay).wholeAge(at: now) == age, "\(headers.fields)")
    }
    // A clock that was wrong makes the age infinite.
    #expect(Self.rules([:]).wholeAge(at: Self.start.addingTimeInterval(-1000)) == 2_147_483_648)
    #expect(Self.rules([:]).wholeAge(at: Self.start.addingTimeInterval(-30)) == 0)
  }

  @Test func fieldsDoNotBecomeMoreWithEachConfirmation() {
    var record = CacheRecord.Response(
      status: 200, headers: ["ETag": "\"1\"", "Content-Type": "image/png"], requested: Self.start, received: Self.start)
    let value = String(repeating: "x", count: 200 << 10)
    for number in 0..<20 {
      let head = ResponseHead(status: 304, headers: ["ETag": "\"1\"", "X-\(number)": value])
      record = HTTPCacheRules(record).renewed(by: head, requested: Self.start, received: Self.start)
      #expect(record.headers["X-\(number)"] == value && record.headers.byteCount <= 1 << 20)
      #expect(record.headers["ETag"] == "\"1\"" && record.headers["Content-Type"] == "image/png")
    }
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
    // The old age and date do not apply to the new answer; the time it took counts.
    let renewed = HTTPCacheRules(record)
    #expect(renewed.isFresh(at: later.addingTimeInterval(44)))
    #expect(!renewed.isFresh(at: later.addingTimeInterval(45)))
  }
}
