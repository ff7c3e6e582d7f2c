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

  /// The field for a picture with this record.
  ///
  /// `wanted` are the seconds that the URL asks for.
  func field(for record: CacheRecord, wanted: Int? = nil, at now: Date) -> String {
    if let control = record.response?.headers["Cache-Control"], Self.forbidsKeeping(control) {
      return "private, no-store"
    }
    let most = wanted ?? timeToLive
    let fresh = record.freshSeconds(at: now).map { min(Double(most), max(0, $0)) } ?? Double(most)
    return field(seconds: Int(fresh))
  }

  func field(seconds: Int) -> String {
    var field = "public, max-age=\(seconds)"
    if staleWhileRevalidate > 0 { field += ", stale-while-revalidate=\(staleWhileRevalidate)" }
    if staleIfError > 0 { field += ", stale-if-error=\(staleIfError)" }
    return field
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
      if !control.contains("stale-while-revalidate"), !control.contains("no-cache"),
        !control.contains("must-revalidate")
      {
        let grace = "stale-while-revalidate=\(staleWhileRevalidate), stale-if-error=\(staleIfError)"
        head.headers["Cache-Control"] = control.isEmpty ? grace : "\(control), \(grace)"
      }
      return head
    }
    for name in ["Age", "Expires", "Pragma", "Date"] { head.headers[name] = nil }
    head.headers["Cache-Control"] = field(seconds: timeToLive)
    return head
  }

  /// True if a shared cache must not keep the response.
  private static func forbidsKeeping(_ control: String) -> Bool {
    HTTPHeaders.folded(control).split(separator: ",").map(\.trimmed).contains {
      $0 == "private" || $0.hasPrefix("private=") || $0 == "no-store"
    }
  }
}
