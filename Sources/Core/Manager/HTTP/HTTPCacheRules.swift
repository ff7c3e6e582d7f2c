import FoundationEssentials

/// What RFC 9111 says about a stored response, for a cache that serves one user.
struct HTTPCacheRules: Sendable {
  private let record: ResponseRecord
  private let control: CacheControl
  /// What the request says of caches, nil where it says nothing.
  private let asked: CacheControl?

  /// - Parameter fields: the fields of the request that the response is to answer.
  init(_ record: ResponseRecord, answering fields: HTTPHeaders = [:]) {
    self.record = record
    control = CacheControl(record.headers["Cache-Control"])
    asked = fields["Cache-Control"].map { CacheControl($0) }
  }

  /// Whether the request wants nothing of its answer stored.
  var isUnwantedInCaches: Bool { asked?.has("no-store") ?? false }

  /// Whether the response may be stored at all: not with `no-store`, and not when it varies with everything.
  var mayStore: Bool {
    !control.has("no-store") && !varyingNames.contains("*")
  }

  /// Whether the response answers a request with these fields.
  func matches(_ fields: HTTPHeaders) -> Bool {
    varyingNames.allSatisfy { $0 != "*" && fields[$0] == record.varyingFields[$0] }
  }

  /// Whether it may be used without asking the server.
  func isFresh(at now: Date) -> Bool {
    !control.has("no-cache") && age(at: now) < lifetime && !isTooOld(at: now) && mayTrustRedirects(at: now)
  }

  /// Whether it may be used now while the server is asked meanwhile (RFC 5861).
  func mayServeWhileRevalidating(at now: Date) -> Bool {
    mayServeStale(at: now) && age(at: now) < lifetime + (control.seconds("stale-while-revalidate") ?? 0)
      && mayTrustRedirects(at: now)
  }

  /// Whether it may be used when the server fails (RFC 5861).
  func mayServeOnError(at now: Date) -> Bool {
    guard mayServeStale(at: now), let grace = control.seconds("stale-if-error") else { return false }
    return age(at: now) < lifetime + grace
  }

  /// The fields that ask the server whether this is still the right response.
  var conditions: HTTPHeaders {
    var fields = HTTPHeaders()
    for (name, source) in [("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")] {
      // What no request can hold would fail each one until the entry goes.
      if let validator = record.headers[source], validator.isFieldText { fields[name] = validator }
    }
    return fields
  }

  /// The record after a 304: its fields replace those of the same names (section 3.2), except what describes the body.
  func renewed(by head: ResponseHead, requested: Date, received: Date) -> ResponseRecord {
    let bodyFields: Set<String> = ["content-length", "content-encoding", "content-type", "content-range"]
    var headers = record.headers
    headers.merge(
      HTTPHeaders(
        head.headers.fields.compactMap { field in
          bodyFields.contains(field.name.lowercased()) ? nil : (field.name, field.value)
        }))
    // What the old response was late by says nothing of the new one.
    if head.headers["Age"] == nil { headers["Age"] = nil }
    // Neither does when the old one was made: without a date of its own the new one counts from its arrival.
    if head.headers["Date"] == nil { headers["Date"] = nil }
    var renewed = record
    renewed.headers = headers
    renewed.requested = requested
    renewed.received = received
    renewed.redirectsExpire = Self.end(of: head.redirects, requested: requested, received: received)
    return renewed
  }

  /// The request's values of the fields that a response says it varies with.
  static func varyingFields(of head: ResponseHead, in fields: HTTPHeaders) -> HTTPHeaders {
    var values = HTTPHeaders()
    for name in varyingNames(in: head.headers) { values[name] = fields[name] }
    return values
  }

  /// When the first of these redirects must not be relied on any more; nil when that is never.
  static func end(of redirects: [ResponseHead], requested: Date, received: Date) -> Date? {
    redirects.compactMap { head in
      let record = ResponseRecord(
        status: head.status ?? 302, headers: head.headers, requested: requested, received: received)
      return HTTPCacheRules(record).endOfRedirect
    }.min()
  }

  private var endOfRedirect: Date? {
    // What a loader accepts is its own affair, and leads nowhere else.
    let varies = varyingNames.contains { $0.lowercased() != "accept-encoding" }
    if control.has("no-store") || control.has("no-cache") || varies { return .distantPast }
    if [301, 308].contains(record.status), !control.has("max-age"), record.headers["Expires"] == nil { return nil }
    let rest = lifetime - age(at: record.received)
    return rest > 0 ? record.received.addingTimeInterval(rest) : .distantPast
  }

  private func mayTrustRedirects(at now: Date) -> Bool { record.redirectsExpire.map { now < $0 } ?? true }

  private var varyingNames: [String] { Self.varyingNames(in: record.headers) }

  private static func varyingNames(in headers: HTTPHeaders) -> [String] {
    (headers["Vary"] ?? "").split { $0 == "," || $0 == " " }.map(String.init)
  }

  private func mayServeStale(at now: Date) -> Bool {
    !control.has("must-revalidate") && !control.has("no-cache") && !isTooOld(at: now)
  }

  /// Whether it is too old for the request, fresh or not: section 5.2.1.
  private func isTooOld(at now: Date) -> Bool {
    guard let asked else { return false }
    return asked.has("no-cache") || asked.has("max-age") && age(at: now) >= (asked.seconds("max-age") ?? 0)
  }

  private var date: Date { field("Date") ?? record.received }

  /// Section 4.2.3: what the way here took, what caches on it held it for, and the time since.
  private func age(at now: Date) -> Double {
    let apparent = max(0, record.received.timeIntervalSince(date))
    let corrected = statedAge + max(0, record.received.timeIntervalSince(record.requested))
    return max(apparent, corrected) + max(0, now.timeIntervalSince(record.received))
  }

  /// The first member where there are several, and nothing where it is no number (section 5.1).
  private var statedAge: Double {
    let first = record.headers["Age"]?.split(separator: ",").first?.filter { $0 != " " } ?? ""
    guard !first.isEmpty, first.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
    return min(Double(first) ?? 0, 2_147_483_648)
  }

  /// Section 4.2.1, and 4.2.2 where the server said nothing: a tenth of the time since the last change, a day at most.
  private var lifetime: Double {
    if control.has("max-age") { return control.seconds("max-age") ?? 0 }
    if record.headers["Expires"] != nil { return field("Expires").map { $0.timeIntervalSince(date) } ?? 0 }
    guard let changed = field("Last-Modified"), Self.heuristicStatuses.contains(record.status) else { return 0 }
    return min(max(0, date.timeIntervalSince(changed) / 10), 86_400)
  }

  // RFC 9110 section 15.1.
  private static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

  private func field(_ name: String) -> Date? {
    record.headers[name].flatMap { HTTPDate.parse($0, now: record.received) }
  }
}
