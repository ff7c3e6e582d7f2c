import EaselTestSupport

@testable import EaselCore

private let tag: HTTPHeaders = ["If-None-Match": "\"1\""]
private let network = FakeLoader.Script.failure(ImageError(.network, "Lost."))

extension HTTPHeaders {
  /// The fields of an answer with an entity tag.
  fileprivate static func tagged(_ control: String, _ more: HTTPHeaders = [:]) -> HTTPHeaders {
    var headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": control]
    headers.merge(more)
    return headers
  }
}

extension HTTPRule {
  static let all = freshness + heuristics + directives + requests + validation + varying + staleness

  /// Sections 4.2 to 4.2.3.
  static let freshness: [HTTPRule] = [
    at(59, "max-age holds", .tagged("max-age=60"), .kept),
    at(60, "max-age ends", .tagged("max-age=60"), then: .notModified(), .confirmed(tag)),
    at(59, "the name of a directive has no case", .tagged("MAX-AGE=60"), .kept),
    at(59, "a directive may be quoted", .tagged("max-age=\"60\""), .kept),
    at(60, "of two the first counts", .tagged("max-age=60, max-age=900"), .replaced(tag)),
    at(0, "max-age that is no number is none", .tagged("max-age=soon"), .replaced(tag)),
    at(39, "Age counts", .tagged("max-age=60", ["Age": "20"]), .kept),
    at(40, "Age counts", .tagged("max-age=60", ["Age": "20"]), .replaced(tag)),
    at(0, "Age alone may be too much", .tagged("max-age=60", ["Age": "60"]), .replaced(tag)),
    at(59, "Age that is no number does not count", .tagged("max-age=60", ["Age": "old"]), .kept),
    at(44, "the way here counts", .tagged("max-age=60"), delay: 15, .kept),
    at(45, "the way here counts", .tagged("max-age=60"), delay: 15, .replaced(tag)),
    at(24, "Age and the way here add up", .tagged("max-age=60", ["Age": "20"]), delay: 15, .kept),
    at(25, "Age and the way here add up", .tagged("max-age=60", ["Age": "20"]), delay: 15, .replaced(tag)),
    at(29, "Date tells an age too", .tagged("max-age=60", ["Date": date(-30)]), .kept),
    at(30, "Date tells an age too", .tagged("max-age=60", ["Date": date(-30)]), .replaced(tag)),
    at(59, "max-age beats an earlier Expires", .tagged("max-age=60", ["Expires": date(9)]), .kept),
    at(60, "max-age beats a later Expires", .tagged("max-age=60", ["Expires": date(900)]), .replaced(tag)),
    at(59, "Expires holds", ["ETag": "\"1\"", "Expires": date(60)], .kept),
    at(60, "Expires ends", ["ETag": "\"1\"", "Expires": date(60)], .replaced(tag)),
    at(49, "Expires counts from Date", ["ETag": "\"1\"", "Expires": date(50), "Date": date(0)], .kept),
    at(0, "Expires that is no date is past", ["ETag": "\"1\"", "Expires": "0"], .replaced(tag)),
    at(59, "s-maxage is for shared caches", .tagged("s-maxage=1, max-age=60"), .kept),
    at(0, "s-maxage alone is nothing", .tagged("s-maxage=60"), .replaced(tag)),
    at(-5, "a clock that is set back a little makes nothing stale", .tagged("max-age=60"), .kept),
    at(-500, "a clock that is set back knows no age", .tagged("max-age=60"), then: .notModified(), .confirmed(tag)),
    at(
      0, "Expires in another zone is no date", ["ETag": "\"1\"", "Expires": "Sun, 09 Sep 2007 01:46:40 AEST"],
      .replaced(tag)),
  ]

  /// Section 4.2.2.
  static let heuristics: [HTTPRule] = [
    at(99, "a tenth of the time since the last change", ["Last-Modified": date(-1000)], .kept),
    at(
      100, "a tenth of the time since the last change", ["Last-Modified": date(-1000)],
      .replaced(["If-Modified-Since": date(-1000)])),
    at(86_399, "but a day at most", ["Last-Modified": date(-100_000_000)], .kept),
    at(
      86_400, "but a day at most", ["Last-Modified": date(-100_000_000)], then: .notModified(),
      .confirmed(["If-Modified-Since": date(-100_000_000)])),
    at(0, "a server that says nothing is asked each time", [:], .replaced([:])),
    at(
      0, "a date in the future is no reason", ["Last-Modified": date(500)],
      .replaced(["If-Modified-Since": date(500)])),
    at(
      50, "max-age beats the heuristic", ["Cache-Control": "max-age=50", "Last-Modified": date(-1000)],
      .replaced(["If-Modified-Since": date(-1000)])),
  ]

  /// Section 5.2.2.
  static let directives: [HTTPRule] = [
    at(0, "no-store", .tagged("no-store"), .loadedAgain),
    at(0, "no-store beats max-age", .tagged("max-age=600, no-store"), .loadedAgain),
    at(59, "private is for us", .tagged("private, max-age=60"), .kept),
    at(59, "public", .tagged("public, max-age=60"), .kept),
    at(0, "no-cache asks each time", .tagged("no-cache"), then: .notModified(), .confirmed(tag)),
    at(1, "no-cache beats max-age", .tagged("no-cache, max-age=600"), .replaced(tag)),
    at(1, "no-cache fails with the server", .tagged("no-cache, stale-if-error=60"), then: network, .failed(.network)),
    at(59, "must-revalidate while it is fresh", .tagged("max-age=60, must-revalidate"), .kept),
    at(60, "must-revalidate later", .tagged("max-age=60, must-revalidate"), then: .notModified(), .confirmed(tag)),
    at(60, "must-revalidate fails", .tagged("max-age=60, must-revalidate"), then: network, .failed(.network)),
    at(59, "proxy-revalidate is for others", .tagged("max-age=60, proxy-revalidate"), .kept),
    at(59, "immutable", .tagged("max-age=60, immutable"), .kept),
    at(59, "directives that nobody knows", .tagged("future=\"a, max-age=1\", max-age=60"), .kept),
  ]

  /// Section 5.2.1.
  static let requests: [HTTPRule] = [
    at(
      0, "a request's no-store", .tagged("max-age=60"), asking: ["Cache-Control": "no-store"], again: [:], .loadedAgain),
    at(
      1, "a request's no-store takes what is there", .tagged("max-age=60"), again: ["cache-control": "no-store"], .kept),
    at(
      1, "a request's no-cache", .tagged("max-age=60"), again: ["Cache-Control": "no-cache"], then: .notModified(),
      .confirmed(tag)),
    at(
      1, "a request's no-cache", .tagged("max-age=60"), again: ["Cache-Control": "No-Cache"], .replaced(tag)),
    at(
      0, "a request's max-age of nothing", .tagged("max-age=60"), again: ["Cache-Control": "max-age=0"],
      then: .notModified(), .confirmed(tag)),
    at(9, "a request's max-age holds", .tagged("max-age=60"), again: ["Cache-Control": "max-age=10"], .kept),
    at(
      10, "a request's max-age ends", .tagged("max-age=60"), again: ["Cache-Control": "max-age=10"], .replaced(tag)),
    at(
      15, "a request's no-cache forbids stale-while-revalidate", .tagged("max-age=10, stale-while-revalidate=20"),
      again: ["Cache-Control": "no-cache"], .replaced(tag)),
    at(
      15, "a request's no-cache forbids stale-if-error", .tagged("max-age=10, stale-if-error=20"),
      again: ["Cache-Control": "no-cache"], then: network, .failed(.network)),
  ]

  /// Section 4.3.
  static let validation: [HTTPRule] = [
    at(60, "without a name the picture comes anew", ["Cache-Control": "max-age=60"], .replaced([:])),
    at(
      60, "a weak name will do", ["Cache-Control": "max-age=60", "ETag": "W/\"1\""],
      .replaced(["If-None-Match": "W/\"1\""])),
    at(
      60, "both validators are sent", .tagged("max-age=60", ["Last-Modified": date(-5)]),
      .replaced(["If-None-Match": "\"1\"", "If-Modified-Since": date(-5)])),
    at(60, "a name that no request can hold is none", .tagged("max-age=60", ["ETag": "\"a\rb\""]), .replaced([:])),
    at(
      60, "a date that no request can hold is none", .tagged("max-age=60", ["Last-Modified": date(-5) + "\u{7F}"]),
      .replaced(tag)),
    at(60, "a new picture takes the old one's place", .tagged("max-age=60"), .replaced(tag)),
    at(60, "a server in trouble is a failure", .tagged("max-age=60"), then: .status(503), .failed(.badStatus)),
    at(60, "what is gone is gone", .tagged("max-age=60"), then: .status(404), .failed(.badStatus)),
    at(60, "no way to the server is a failure", .tagged("max-age=60"), then: network, .failed(.network)),
  ]

  /// Section 4.1.
  static let varying: [HTTPRule] = [
    at(
      1, "the same field", .tagged("max-age=60", ["Vary": "Accept-Language"]), asking: ["Accept-Language": "de"], .kept),
    at(
      1, "another value", .tagged("max-age=60", ["Vary": "Accept-Language"]), asking: ["Accept-Language": "de"],
      again: ["Accept-Language": "en"], .replaced([:])),
    at(
      1, "a value where there was none", .tagged("max-age=60", ["Vary": "Accept-Language"]),
      again: ["Accept-Language": "en"], .replaced([:])),
    at(
      1, "none where there was a value", .tagged("max-age=60", ["Vary": "accept-language"]),
      asking: ["Accept-Language": "de"], again: [:], .replaced([:])),
    at(
      1, "a field that it does not vary with", .tagged("max-age=60", ["Vary": "Accept-Language"]),
      asking: ["Accept": "a"], again: ["Accept": "b"], .kept),
    at(
      1, "one of several fields", .tagged("max-age=60", ["Vary": "Accept\t,\tAccept-Language"]),
      asking: ["Accept": "1", "Accept-Language": "2"],
      again: ["Accept": "1", "Accept-Language": "3"], .replaced([:])),
    at(1, "everything", .tagged("max-age=60", ["Vary": "*"]), .loadedAgain),
  ]

  /// RFC 5861, and section 4.2.4.
  static let staleness: [HTTPRule] = [
    at(
      10, "stale-while-revalidate", .tagged("max-age=10, stale-while-revalidate=20"), then: .notModified(),
      .keptAndAskedAside(tag)),
    at(
      29, "stale-while-revalidate", .tagged("max-age=10, stale-while-revalidate=20"), then: network,
      .keptAndAskedAside(tag)),
    at(
      30, "stale-while-revalidate ends", .tagged("max-age=10, stale-while-revalidate=20"), then: .notModified(),
      .confirmed(tag)),
    at(
      15, "must-revalidate forbids it", .tagged("max-age=10, stale-while-revalidate=20, must-revalidate"),
      .replaced(tag)),
    at(15, "stale-if-error without a way", .tagged("max-age=10, stale-if-error=20"), then: network, .keptAfterFailure),
    at(
      29, "stale-if-error in trouble", .tagged("max-age=10, stale-if-error=20"), then: .status(500), .keptAfterFailure),
    at(15, "stale-if-error and an answer", .tagged("max-age=10, stale-if-error=20"), .replaced(tag)),
    at(
      15, "stale-if-error and a refusal", .tagged("max-age=10, stale-if-error=20"), then: .status(404),
      .failed(.badStatus)),
    at(30, "stale-if-error ends", .tagged("max-age=10, stale-if-error=20"), then: network, .failed(.network)),
    at(
      15, "must-revalidate forbids that too", .tagged("max-age=10, stale-if-error=20, must-revalidate"), then: network,
      .failed(.network)),
  ]
}
