import EaselCore
import FoundationEssentials

/// The time for which answers may be kept, here and by clients.
public struct Aging: Hashable, Sendable {
  /// The seconds for which a picture is fresh.
  public var timeToLive = 31_536_000
  /// The seconds after that in which it may still be sent while the source is asked about it.
  public var staleWhileRevalidate = 86_400
  /// The seconds after that in which it may still be sent if the source fails.
  public var staleIfError = 604_800
  /// True if pictures are fresh only as long as their sources say, and at most ``timeToLive`` seconds.
  public var followsSource = false
  /// The seconds for which clients keep a fallback picture.
  public var fallbackTimeToLive = 60

  /// Creates the defaults: a year, whatever sources say, except that nothing is kept that a source calls private.
  public init() {}

  /// The field for a picture, an original or facts with this record.
  ///
  /// `wanted` are the seconds that the URL asks for, and `life` those after which it has expired, nil for a URL that does
  /// not expire. Nobody keeps an answer beyond its URL, not even to send it when it is old.
  func field(for record: CacheRecord, wanted: Int? = nil, within life: Int? = nil, at now: Date) -> String {
    if let field = Self.field(ofPrivate: record) { return field }
    let most = wanted ?? timeToLive
    let fresh = record.freshSeconds(at: now).map { min(Double(most), max(0, $0)) } ?? Double(most)
    return field(seconds: Int(fresh), grace: grace(after: record.response), within: life)
  }

  /// The field for what no shared cache may keep, as its source says; nil if this one may be kept.
  static func field(ofPrivate record: CacheRecord) -> String? {
    forbidsKeeping(record.response?.headers["Cache-Control"] ?? "") ? "private, no-store" : nil
  }

  /// The seconds for which an answer to a URL may be kept; nil if the URL does not expire.
  ///
  /// Caches count whole seconds, and begin when the answer reaches them; one second less makes up for that.
  static func life(until expires: Int?, at now: Date) -> Int? {
    expires.map { max(0, Int((Double($0) - now.timeIntervalSince1970).rounded(.down)) - 1) }
  }

  /// The field for an answer that nobody sends when it is old: a fallback picture, or an error.
  static func field(briefly seconds: Int, within life: Int?) -> String {
    guard let life, life < seconds else { return "public, max-age=\(seconds)" }
    return "public, max-age=\(life), must-revalidate"
  }

  /// The seconds after its freshness in which an answer may still be sent.
  private struct Grace {
    var whileRevalidating = 0
    var onError = 0
    /// True if the source forbids it, so that caches must hear of it.
    var isForbidden = false
  }

  private func field(seconds: Int, grace: Grace, within life: Int?) -> String {
    let fresh = min(seconds, life ?? .max)
    let rest = life.map { $0 - fresh } ?? .max
    let (revalidate, error) = (min(grace.whileRevalidating, rest), min(grace.onError, rest))
    var field = "public, max-age=\(fresh)"
    if revalidate > 0 { field += ", stale-while-revalidate=\(revalidate)" }
    if error > 0 { field += ", stale-if-error=\(error)" }
    // Without it, a cache that does not reach this server may send what has expired (RFC 9111, section 4.2.4).
    if grace.isForbidden || life != nil && revalidate == 0 && error == 0 { field += ", must-revalidate" }
    return field
  }

  /// The grace of this server, or that of the source if that counts.
  private func grace(after response: ResponseRecord?) -> Grace {
    let own = Grace(whileRevalidating: staleWhileRevalidate, onError: staleIfError)
    guard followsSource, let response else { return own }
    let directives = Self.directives(of: response.headers["Cache-Control"] ?? "")
    if directives.contains(where: Self.mustBeAsked) { return Grace(isForbidden: true) }
    func stated(_ name: String) -> Int {
      let value = directives.first { $0.hasPrefix(name + "=") }?.dropFirst(name.utf8.count + 1)
      return value.flatMap { Int($0.filter { $0 != "\"" }) }.map { max(0, $0) } ?? 0
    }
    // What the source did not say was added when its answer came.
    return Grace(whileRevalidating: stated("stale-while-revalidate"), onError: stated("stale-if-error"))
  }

  /// The head of a source's response with the freshness that this server gives it.
  func aged(_ head: ResponseHead) -> ResponseHead {
    var head = head
    if let control = head.headers["Cache-Control"], Self.forbidsKeeping(control) {
      head.headers["Cache-Control"] = "no-store"
      return head
    }
    if followsSource {
      let control = head.headers["Cache-Control"] ?? ""
      let stated = Self.directives(of: control)
      if !stated.contains(where: { $0.hasPrefix("stale-while-revalidate") || Self.mustBeAsked($0) }) {
        let grace = "stale-while-revalidate=\(staleWhileRevalidate), stale-if-error=\(staleIfError)"
        head.headers["Cache-Control"] = control.isEmpty ? grace : "\(control), \(grace)"
      }
      return head
    }
    for name in ["Age", "Expires", "Pragma", "Date"] { head.headers[name] = nil }
    head.headers["Cache-Control"] = field(seconds: timeToLive, grace: grace(after: nil), within: nil)
    return head
  }

  private static func directives(of control: String) -> [Substring] {
    HTTPHeaders.folded(control).split(separator: ",").map(\.trimmed)
  }

  /// True if a shared cache must not keep the response.
  private static func forbidsKeeping(_ control: String) -> Bool {
    directives(of: control).contains { $0 == "private" || $0.hasPrefix("private=") || $0 == "no-store" }
  }

  /// True if a shared cache must ask the source before it sends what is old.
  private static func mustBeAsked(_ directive: Substring) -> Bool {
    directive.hasPrefix("no-cache") || ["must-revalidate", "proxy-revalidate"].contains(directive)
  }
}
