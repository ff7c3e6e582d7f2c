import EaselSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselHTTP

/// The header fields that decide freshness, as real servers write them.
struct HTTPFieldTests {
  private static let directives: [(String?, String, Double?)] = [
    (nil, "max-age", nil), ("", "max-age", nil), ("max-age=60", "max-age", 60), ("MAX-AGE=60", "max-age", 60),
    ("public, max-age=60", "max-age", 60), ("public,max-age=60", "max-age", 60), ("max-age = 60", "max-age", 60),
    ("max-age=\"60\"", "max-age", 60), ("max-age=60, max-age=5", "max-age", 60), ("max-age=-1", "max-age", nil),
    ("max-age=6.5", "max-age", nil), ("max-age=", "max-age", nil), ("max-age", "max-age", nil),
    ("max-age=99999999999999999999", "max-age", 2_147_483_648), ("s-maxage=5", "max-age", nil),
    ("private=\"a, max-age=1\", max-age=7", "max-age", 7), ("ext=\"a\\\"b, max-age=1\", max-age=8", "max-age", 8),
    ("stale-if-error=9", "stale-if-error", 9), (",,max-age=3,,", "max-age", 3), ("\tmax-age=4 ", "max-age", 4),
  ]

  @Test(arguments: directives)
  func secondsOfADirective(_ field: String?, _ name: String, _ seconds: Double?) {
    #expect(CacheControl(field.map { [$0] } ?? []).seconds(name) == seconds)
  }

  @Test(arguments: [
    ("no-store", true), ("No-Store", true), ("max-age=1, no-store", true), ("x=\"no-store\"", false),
    ("no-storex", false), ("no-store=1", true), ("max-age=1\t,\tno-store\t", true), (",no-store", true),
    // An unclosed quote hides no directive.
    ("x=\"a, no-store", true), ("x=\"a\\\", no-store", true), ("x=\"a\\\", no-store\"", false),
    ("x=\"\", no-store", true), ("x=\"a\"b, no-store", true), ("\"no-store\"", false), ("no-store;", false),
  ])
  func presenceOfADirective(_ field: String, _ isThere: Bool) {
    #expect(CacheControl([field]).has("no-store") == isThere)
  }

  private static let lists: [([String], [String])] = [
    ([], []), ([""], []), ([" \t , ,,"], []), (["a"], ["a"]), (["a,b"], ["a", "b"]), (["a\t,\tb"], ["a", "b"]),
    (["\ta b\t"], ["a b"]), (["a", "b"], ["a", "b"]), (["a,", ",b"], ["a", "b"]), (["\"a,b\",c"], ["\"a,b\"", "c"]),
    (["x=\"a\\\",b\",c"], ["x=\"a\\\",b\"", "c"]), (["\"a", "b\",c"], ["\"a", "b\"", "c"]),
    (["\"a,b"], ["\"a", "b"]), (["\\\",a\""], ["\\\",a\""]), (["a,\u{301}b"], ["a", "\u{301}b"]),
    (["x=\"a\\"], ["x=\"a\\"]),
  ]

  @Test(arguments: lists.indices) func membersOfALists(_ index: Int) {
    let (lines, members) = Self.lists[index]
    #expect(FieldList.members(of: lines).map(String.init) == members, "\(lines)")
  }

  @Test func quotesThatNobodyClosesAreReadInOnePass() {
    let line = String(repeating: "\\\"", count: 100_000) + ","
    #expect(FieldList.members(of: [line + line, "a"]).count == 3)
  }

  @Test(arguments: [
    ("close", ["X-A", "X-B"]), ("x-a", ["X-B"]), ("X-A\t, ,x-B", []), ("Cache-Control, ETag", ["X-A", "X-B"]),
    ("\"X-A\"", ["X-A", "X-B"]),
  ])
  func whatBelongsToTheConnectionIsNotKept(_ connection: String, _ kept: [String]) {
    let headers: HTTPHeaders = [
      "Connection": connection, "X-A": "1", "Cache-Control": "no-store", "ETag": "\"1\"", "keep-alive": "timeout=5",
      "Proxy-Connection": "close", "Proxy-Authenticate": "Basic", "Proxy-Authentication-Info": "a",
      "Proxy-Authorization": "a", "TE": "trailers", "Trailer": "X", "Transfer-Encoding": "chunked", "Upgrade": "h2c",
      "X-B": "2",
    ]
    #expect(headers.endToEnd.fields.map(\.name).filter { $0.hasPrefix("X-") } == kept)
    #expect(headers.endToEnd.fields.map(\.name).filter { !$0.hasPrefix("X-") } == ["Cache-Control", "ETag"])
  }

  private static let dates: [(String, Double?)] = [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Wed, 29 Feb 2023 12:00:00 GMT", nil),
    ("Sat, 31 Apr 2022 00:00:00 GMT", nil), ("Sat, 00 Apr 2022 00:00:00 GMT", nil),
    ("Sun, 06 Nov 1994 24:00:00 GMT", nil), ("Sun, 06 Nov 1994 08:60:00 GMT", nil),
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Sun, 06 Nob 1994 08:49:37 GMT", nil), ("0", nil), ("", nil),
    ("-1", nil), ("Sun, 06 Nov 1994", nil), ("Sun, 06 Nov 99999 08:49:37 GMT", nil),
    ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
    // Letters of either case are accepted; other deviations are refused.
    ("SUN, 06 nOV 1994 08:49:37 gmt", 784_111_777), ("sUNDAY, 06-NOV-94 08:49:37 GMT", 784_111_777),
    ("SUN NOV  6 08:49:37 1994", 784_111_777), ("Sun Nov 06 08:49:37 1994", 784_111_777),
    ("Sun Nov 13 08:49:37 1994", 784_716_577),
    // The day of the week need not be right.
    ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Monday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Tue Nov  6 08:49:37 1994", 784_111_777),
  ]

  private static let wrongDates = [
    "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 EST",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT+1",
    "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, later",
    "Sun 06 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun,, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06, Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
    "Sun, 06 Nov 1994 08:49:3x GMT", "Sun, 06 Nov 1994 08:49:37.5 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov +994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT",
    "06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Sunday, 6-Nov-94 08:49:37 GMT", "Sunday 06-Nov-94 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 PST", "Sunday, 06-Nov-94 08:49:37 GMT;", "Sun Nov 6 08:49:37 1994",
    "Sun Nov  6 08:49:37 1994 GMT", "Sun, Nov  6 08:49:37 1994", "Sun Nov  6 08:49:37 94",
    "Sun Nov   6 08:49:37 1994", "1994-11-06T08:49:37Z", "784111777", "Sun, 06 Nov 1994 08:49:37 G\u{4d}\u{301}T",
    "S\u{16f}n, 06 Nov 1994 08:49:37 GMT", "Sun, \u{660}\u{666} Nov 1994 08:49:37 GMT",
  ]

  @Test(arguments: wrongDates) func whatIsAlmostADateIsNone(_ text: String) {
    #expect(HTTPDate.parse(text, now: Date(timeIntervalSince1970: 1_700_000_000)) == nil)
  }

  @Test(arguments: dates) func datesInThreeSpellings(_ text: String, _ seconds: Double?) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(HTTPDate.parse(text, now: now)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [("94", 1994), ("23", 2023), ("73", 2073), ("74", 1974), ("00", 2000)])
  func twoDigitsAreAtMostFiftyYearsAhead(_ digits: String, _ year: Int) throws {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let date = HTTPDate.parse("Sunday, 15-Jun-\(digits) 00:00:00 GMT", now: now)
    #expect(HTTPDate.text(try #require(date)).contains(" \(year) "))
  }

  @Test func aDateReadsBackAsItWasWritten() {
    var seconds = -3_000_000_000.0
    while seconds < 5_000_000_000 {
      let date = Date(timeIntervalSince1970: seconds.rounded())
      #expect(HTTPDate.parse(HTTPDate.text(date)) == date)
      seconds += 12_345_678.9
    }
    #expect(HTTPDate.text(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }
}
