import FoundationEssentials
import Testing

@testable import EaselCore

/// The fields that say how long a response is good for, as servers write them.
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
    #expect(CacheControl(field).seconds(name) == seconds)
  }

  @Test(arguments: [
    ("no-store", true), ("No-Store", true), ("max-age=1, no-store", true), ("x=\"no-store\"", false),
    ("no-storex", false), ("no-store=1", true),
  ])
  func presenceOfADirective(_ field: String, _ isThere: Bool) {
    #expect(CacheControl(field).has("no-store") == isThere)
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
  ]

  @Test(arguments: dates) func datesInThreeSpellings(_ text: String, _ seconds: Double?) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(HTTPDate.parse(text, now: now)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [("94", 1994), ("23", 2023), ("73", 2073), ("74", 1974), ("00", 2000)])
  func twoDigitsAreAtMostFiftyYearsAhead(_ digits: String, _ year: Int) throws {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let date = try #require(HTTPDate.parse("Monday, 15-Jun-\(digits) 00:00:00 GMT", now: now))
    #expect(HTTPDate.text(date).contains(" \(year) "))
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
