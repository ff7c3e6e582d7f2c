import FoundationEssentials

/// What RFC 9111 says about a stored response, for a cache that serves one user.
struct HTTPCacheRules: Sendable {
  private let record: ResponseRecord
  private let control: CacheControl
  private let varyingNames: [String]
  /// What the request says of caches, nil where it says nothing.
  private let asked: CacheControl?
  /// Whether the loader puts cookies of its own into the request, which nobody else knows.
  private let mayAddCookies: Bool

  /// - Parameters:
  ///   - fields: the fields of the request that the response is to answer.
  ///   - mayAddCookies: whether the loader adds cookies to them.
  init(_ record: ResponseRecord, answering fields: HTTPHeaders = [:], mayAddCookies: Bool = false) {
    self.record = record
    self.mayAddCookies = mayAddCookies
    control = CacheControl(record.headers.values(of: "Cache-Control"))
    varyingNames = Self.varyingNames(in: record.headers)
    asked = fields.isEmpty ? nil : Self.wishes(in: fields)
  }

  /// Whether the request wants nothing of its answer stored.
  var isUnwantedInCaches: Bool { asked?.has("no-store") ?? false }

  /// Whether the response may be stored at all: not with `no-store`, not when it varies with what nobody can compare,
  /// and not when only those who know its status may store it.
  var mayStore: Bool {
    !control.has("no-store") && !varyingNames.contains(where: isUnknowable)
      && (!control.has("must-understand") || Self.understoodStatuses.contains(record.status))
  }

  /// Whether the response answers a request with these fields.
  func matches(_ fields: HTTPHeaders) -> Bool {
    varyingNames.allSatisfy { !isUnknowable($0) && KeyText.isSame(fields[$0], record.varyingFields[$0]) }
  }

  /// Whether it may be used without asking the server.
  func isFresh(at now: Date) -> Bool {
    guard !control.has("no-cache"), !isTooOld(at: now), mayTrustRedirects(at: now) else { return false }
    let rest = lifetime - age(at: now)
    if let least = asked?.seconds("min-fresh"), rest < least { return false }
    return rest > 0 || mayServeStale(at: now) && -rest < toleratedStaleness
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
    if let tag = record.headers["ETag"], EntityTag.isOne(tag) { fields["If-None-Match"] = tag }
    if let date = record.headers["Last-Modified"], HTTPDate.parse(date) != nil { fields["If-Modified-Since"] = date }
    return fields
  }

  /// The record after a 304: its fields replace those of the same names (section 3.2), except what describes the body.
  ///
  /// - Parameter fields: those of the request that the response may vary with.
  func renewed(
    by head: ResponseHead, answering fields: HTTPHeaders = [:], requested: Date, received: Date
  ) -> ResponseRecord {
    let bodyFields: Set<String> = ["content-length", "content-encoding", "content-type", "content-range"]
    var headers = record.headers
    headers.merge(
      HTTPHeaders(
        head.headers.endToEnd.fields.compactMap { field in
          bodyFields.contains(field.name.lowercased()) ? nil : (field.name, field.value)
        }))
    // What the old response was late by says nothing of the new one.
    if head.headers["Age"] == nil { headers["Age"] = nil }
    // Neither does when the old one was made: without a date of its own the new one counts from its arrival.
    if head.headers["Date"] == nil { headers["Date"] = nil }
    var renewed = record
    renewed.headers = headers
    // It may vary with other fields from now on.
    if head.headers["Vary"] != nil { renewed.varyingFields = Self.varyingFields(in: headers, of: fields) }
    renewed.requested = requested
    renewed.received = received
    renewed.redirectsExpire = Self.end(of: head.redirects, requested: requested, received: received)
    return renewed
  }

  /// A request's values of the fields that a response with these fields says it varies with.
  static func varyingFields(in headers: HTTPHeaders, of fields: HTTPHeaders) -> HTTPHeaders {
    var values = HTTPHeaders()
    for name in varyingNames(in: headers) { values[name] = fields[name] }
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

  /// The names in `Vary`; what is no name stands for everything, as `*` does.
  private static func varyingNames(in headers: HTTPHeaders) -> [String] {
    FieldList.members(of: headers.values(of: "Vary")).map { FieldList.isToken($0) ? String($0) : "*" }
  }

  /// Whether nobody can tell beforehand what the next request has in this field.
  private func isUnknowable(_ name: String) -> Bool {
    name == "*" || mayAddCookies && HTTPHeaders.folded(name) == "cookie"
  }

  private static func wishes(in fields: HTTPHeaders) -> CacheControl? {
    let lines = fields.values(of: "Cache-Control")
    if !lines.isEmpty { return CacheControl(lines) }
    // The older way to say the same.
    let isOldWish = CacheControl(fields.values(of: "Pragma")).has("no-cache")
    return isOldWish ? CacheControl(["no-cache"]) : nil
  }

  private func mayServeStale(at now: Date) -> Bool {
    !control.has("must-revalidate") && !control.has("no-cache") && !isTooOld(at: now)
  }

  /// For how many seconds after its time the request takes a response.
  private var toleratedStaleness: Double {
    guard let asked, asked.has("max-stale") else { return 0 }
    // Without a number any age will do, except one that nobody knows.
    return asked.seconds("max-stale") ?? .greatestFiniteMagnitude
  }

  /// Whether it is too old for the request, fresh or not: section 5.2.1.
  private func isTooOld(at now: Date) -> Bool {
    guard let asked else { return false }
    return asked.has("no-cache") || asked.has("max-age") && age(at: now) >= (asked.seconds("max-age") ?? 0)
  }

  private var date: Date { field("Date") ?? record.received }

  /// Section 4.2.3: what the way here took, what caches on it held it for, and the time since.
  ///
  /// A response that came later than now is of an age that nobody knows, since the clock is wrong or was so then.
  private func age(at now: Date) -> Double {
    let since = now.timeIntervalSince(record.received)
    guard since >= -Self.clockTolerance else { return .infinity }
    let apparent = max(0, record.received.timeIntervalSince(date))
    let corrected = statedAge + max(0, record.received.timeIntervalSince(record.requested))
    return max(apparent, corrected) + max(0, since)
  }

  /// By how many seconds clocks are set back in passing.
  private static let clockTolerance = 60.0

  /// The first member where there are several, and nothing where it is no number (section 5.1).
  private var statedAge: Double {
    FieldList.members(of: record.headers.values(of: "Age")).first.flatMap(CacheControl.seconds) ?? 0
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

  private static let understoodStatuses = heuristicStatuses.subtracting([206]).union([302, 303, 307])

  private func field(_ name: String) -> Date? {
    record.headers[name].flatMap { HTTPDate.parse($0, now: record.received) }
  }
}

/// The directives of a `Cache-Control` field.
struct CacheControl: Sendable {
  private var directives: [(name: String, value: Substring?)] = []

  /// Reads all lines of the field.
  init(_ lines: [String]) {
    for member in FieldList.members(of: lines) {
      let sign = member.utf8.firstIndex(of: UInt8(ascii: "="))
      let name = HTTPHeaders.folded(String(FieldList.trimmed(member[..<(sign ?? member.endIndex)])))
      // Of two with the same name the first counts, as RFC 9111 section 4.2.1 recommends.
      guard !name.isEmpty, !has(name) else { continue }
      let value = sign.map { FieldList.trimmed(member[member.utf8.index(after: $0)...]) }
      directives.append((name, value.map(Self.unquoted)))
    }
  }

  func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

  /// The seconds of a directive, nil where it is missing or is no number; a number too large counts as 2^31.
  func seconds(_ name: String) -> Double? {
    directives.first { $0.name == name }?.value.flatMap(Self.seconds)
  }

  /// The seconds that digits stand for, nil where there are other characters, too.
  static func seconds(_ digits: Substring) -> Double? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return min(Double(digits) ?? 0, 2_147_483_648)
  }

  private static func unquoted(_ text: Substring) -> Substring {
    text.utf8.count >= 2 && text.utf8.first == UInt8(ascii: "\"") && text.utf8.last == UInt8(ascii: "\"")
      ? Substring(text.utf8.dropFirst().dropLast()) : text
  }
}
