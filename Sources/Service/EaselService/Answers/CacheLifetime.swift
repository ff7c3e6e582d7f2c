import EaselCore
import EaselHTTP
import FoundationEssentials

/// The time for which answers may be kept, here and by clients.
public struct CacheLifetime: Hashable, Sendable {
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
  /// The seconds for which a part of a damaged picture is kept, by clients and in the server.
  public var partTimeToLive = 60

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
    control(of: record.response?.headers).forbidsKeeping ? "private, no-store" : nil
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
  private func grace(after response: CacheRecord.Response?) -> Grace {
    let own = Grace(whileRevalidating: staleWhileRevalidate, onError: staleIfError)
    guard followsSource, let response else { return own }
    let control = Self.control(of: response.headers)
    if control.mustBeAsked { return Grace(isForbidden: true) }
    func stated(_ name: String) -> Int { Int(control.seconds(name) ?? 0) }
    // What the source did not say was added when its answer came.
    return Grace(whileRevalidating: stated("stale-while-revalidate"), onError: stated("stale-if-error"))
  }

  /// The head of a source's response with the freshness that this server gives it.
  func aged(_ head: ResponseHead) -> ResponseHead {
    var head = head
    let stated = Self.control(of: head.headers)
    if stated.forbidsKeeping {
      head.headers["Cache-Control"] = "no-store"
      return head
    }
    if followsSource {
      let control = head.headers["Cache-Control"] ?? ""
      if !stated.has("stale-while-revalidate"), !stated.mustBeAsked {
        let grace = "stale-while-revalidate=\(staleWhileRevalidate), stale-if-error=\(staleIfError)"
        head.headers["Cache-Control"] = control.isEmpty ? grace : "\(control), \(grace)"
      }
      return head
    }
    for name in ["Age", "Expires", "Pragma", "Date"] { head.headers[name] = nil }
    head.headers["Cache-Control"] = field(seconds: timeToLive, grace: grace(after: nil), within: nil)
    return head
  }

  private static func control(of headers: HTTPHeaders?) -> CacheControl {
    CacheControl(headers?["Cache-Control"].map { [$0] } ?? [])
  }
}

extension CacheControl {
  /// True if a shared cache must not keep the response.
  fileprivate var forbidsKeeping: Bool { has("private") || has("no-store") }

  /// True if a shared cache must ask the source before it sends what is old.
  fileprivate var mustBeAsked: Bool { ["no-cache", "must-revalidate", "proxy-revalidate"].contains(where: has) }
}
