import EaselCore
import EaselSupport
import FoundationEssentials

/// The rules of RFC 9111 for a stored response, in a cache that serves one user.
package struct HTTPCacheRules: Sendable {
  private let record: CacheRecord.Response
  private let control: CacheControl
  private let varyingNames: [String]
  /// The cache directives of the request; nil when there are none.
  private let asked: CacheControl?
  /// True when the loader adds cookies to the request; the cache cannot know them.
  private let mayAddCookies: Bool

  /// - Parameters:
  ///   - fields: the fields of the request that wants to use the response.
  ///   - mayAddCookies: true when the loader adds cookies to the request.
  package init(_ record: CacheRecord.Response, answering fields: HTTPHeaders = [:], mayAddCookies: Bool = false) {
    self.record = record
    self.mayAddCookies = mayAddCookies
    control = CacheControl(record.headers.values(of: "Cache-Control"))
    varyingNames = Self.varyingNames(in: record.headers)
    asked = fields.isEmpty ? nil : Self.wishes(in: fields)
  }

  /// True when the request forbids storing its response.
  package var isUnwantedInCaches: Bool { asked?.has("no-store") ?? false }

  /// True when the response may be stored: the server does not forbid it, and it does not vary with a field that the
  /// cache cannot compare.
  package var mayStore: Bool {
    !control.forbidsStoring(status: record.status) && !varyingNames.contains(where: hasUnknowableVariation)
  }

  /// True when the response answers a request with these fields.
  package func matches(_ fields: HTTPHeaders) -> Bool {
    varyingNames.allSatisfy {
      !hasUnknowableVariation($0) && ByteComparison.isSame(fields[$0], record.varyingFields[$0])
    }
  }

  /// True when the response may be used without asking the server.
  package func isFresh(at now: Date) -> Bool {
    guard !control.has("no-cache"), !isTooOld(at: now), mayTrustRedirects(at: now) else { return false }
    let rest = lifetime - age(at: now)
    if let least = asked?.seconds("min-fresh"), rest < least { return false }
    return rest > 0 || mayServeStale(at: now) && -rest < toleratedStaleness
  }

  /// The seconds for which the response stays fresh; negative when it is stale.
  package func freshSeconds(at now: Date) -> Double { control.has("no-cache") ? 0 : lifetime - age(at: now) }

  /// True when the response may be used now, while the server is asked in the background (RFC 5861).
  package func mayServeWhileRevalidating(at now: Date) -> Bool {
    // A request with `min-fresh` wants a response that stays fresh for some time, so a stale one will not do.
    guard mayServeStale(at: now), mayTrustRedirects(at: now), asked?.seconds("min-fresh") == nil else { return false }
    return age(at: now) < lifetime + (control.seconds("stale-while-revalidate") ?? 0)
  }

  /// True when the response may be used because the server fails (RFC 5861).
  package func mayServeOnError(at now: Date) -> Bool {
    guard mayServeStale(at: now), let grace = control.seconds("stale-if-error") else { return false }
    return age(at: now) < lifetime + grace
  }

  /// The conditional fields with which the server can tell whether the response has changed.
  package var conditions: HTTPHeaders {
    var fields = HTTPHeaders()
    if let tag = record.headers["ETag"], EntityTag.isOne(tag) { fields["If-None-Match"] = tag }
    if let date = record.headers["Last-Modified"], HTTPDate.parse(date) != nil { fields["If-Modified-Since"] = date }
    return fields
  }

  /// Updates the record after a 304 response: its fields replace stored fields of the same names (section 3.2), except
  /// the fields about the body.
  ///
  /// If the fields become too large together, those that the response does not repeat are dropped. Otherwise a server
  /// could add new fields each time.
  ///
  /// - Parameter fields: the fields of the request with which the response may vary.
  package func renewed(
    by head: ResponseHead, answering fields: HTTPHeaders = [:], requested: Date, received: Date
  ) -> CacheRecord.Response {
    let bodyFields: Set<String> = ["content-length", "content-encoding", "content-type", "content-range"]
    let newer = head.headers.endToEnd.filtered { !bodyFields.contains(HTTPHeaders.folded($0)) }
    var headers = record.headers
    headers.merge(newer)
    if headers.byteCount > ResponseHead.mostBytes {
      headers = record.headers.filtered { bodyFields.contains(HTTPHeaders.folded($0)) }
      headers.merge(newer)
    }
    // The age of the old response does not apply to the new one.
    if head.headers["Age"] == nil { headers["Age"] = nil }
    // The date of the old response does not apply either. Without a date, the age counts from the arrival.
    if head.headers["Date"] == nil { headers["Date"] = nil }
    var renewed = record
    renewed.headers = headers
    // From now on the response may vary with other fields.
    if head.headers["Vary"] != nil {
      renewed.varyingFields = Self.varyingFields(in: headers, of: fields)
      if record.wasAuthorized { renewed.noteAuthorization() }
    }
    renewed.requested = requested
    renewed.received = received
    renewed.redirectsExpire = Self.end(of: head.redirects, requested: requested, received: received)
    return renewed
  }

  /// The request's values of the fields that `Vary` names in these response headers.
  package static func varyingFields(in headers: HTTPHeaders, of fields: HTTPHeaders) -> HTTPHeaders {
    var values = HTTPHeaders()
    for name in varyingNames(in: headers) { values[name] = fields[name] }
    return values
  }

  /// The earliest time at which one of these redirects expires; nil when no redirect expires.
  package static func end(of redirects: [ResponseHead], requested: Date, received: Date) -> Date? {
    redirects.compactMap { head in
      let record = CacheRecord.Response(
        status: head.status ?? 302, headers: head.headers, requested: requested, received: received)
      return HTTPCacheRules(record).endOfRedirect
    }.min()
  }

  private var endOfRedirect: Date? {
    // The loader chooses the encodings itself, and they do not change the target of a redirect.
    let varies = varyingNames.contains { $0.lowercased() != "accept-encoding" }
    if control.forbidsStoring(status: record.status) || control.has("no-cache") || varies { return .distantPast }
    if [301, 308].contains(record.status), !control.has("max-age"), record.headers["Expires"] == nil { return nil }
    let rest = lifetime - age(at: record.received)
    return rest > 0 ? record.received.addingTimeInterval(rest) : .distantPast
  }

  private func mayTrustRedirects(at now: Date) -> Bool { record.redirectsExpire.map { now < $0 } ?? true }

  /// The names in `Vary`.
  ///
  /// A member that is not a valid name counts as `*`, which stands for everything.
  private static func varyingNames(in headers: HTTPHeaders) -> [String] {
    FieldList.members(of: headers.values(of: "Vary")).map { FieldList.isToken($0) ? String($0) : "*" }
  }

  /// True when nobody can know in advance which value this field has in the next request.
  private func hasUnknowableVariation(_ name: String) -> Bool {
    name == "*" || mayAddCookies && HTTPHeaders.folded(name) == "cookie"
  }

  private static func wishes(in fields: HTTPHeaders) -> CacheControl? {
    let lines = fields.values(of: "Cache-Control")
    if !lines.isEmpty { return CacheControl(lines) }
    // `Pragma` is the older form of the same directive.
    let isOldWish = CacheControl(fields.values(of: "Pragma")).has("no-cache")
    return isOldWish ? CacheControl(["no-cache"]) : nil
  }

  private func mayServeStale(at now: Date) -> Bool {
    !control.has("must-revalidate") && !control.has("no-cache") && !isTooOld(at: now)
  }

  /// The number of seconds for which the request accepts a response after it became stale.
  private var toleratedStaleness: Double {
    guard let asked, asked.has("max-stale") else { return 0 }
    // Without a number, a response of any known age is accepted.
    return asked.seconds("max-stale") ?? .greatestFiniteMagnitude
  }

  /// True when the response is too old for the request, even if it is fresh (section 5.2.1).
  private func isTooOld(at now: Date) -> Bool {
    guard let asked else { return false }
    return asked.has("no-cache") || asked.has("max-age") && age(at: now) >= (asked.seconds("max-age") ?? 0)
  }

  private var date: Date { field("Date") ?? record.received }

  /// The age by section 4.2.3: the time of the transfer, the time in other caches, and the time since the arrival.
  ///
  /// If the response seems to have arrived in the future, the clock is wrong now or was wrong then. The age is then
  /// unknown and counts as infinite.
  private func age(at now: Date) -> Double {
    let since = now.timeIntervalSince(record.received)
    guard since >= -Self.clockTolerance else { return .infinity }
    let apparent = max(0, record.received.timeIntervalSince(date))
    let corrected = statedAge + max(0, record.received.timeIntervalSince(record.requested))
    return max(apparent, corrected) + max(0, since)
  }

  /// The age in whole seconds, as the `Age` field states it.
  func wholeAge(at now: Date) -> Int { Int(min(age(at: now), CacheControl.mostSeconds)) }

  /// The number of seconds by which a clock may be set back in normal use.
  private static let clockTolerance = 60.0

  /// The `Age` that the response states: the first member of the field, or 0 when it is not a number (section 5.1).
  private var statedAge: Double {
    FieldList.members(of: record.headers.values(of: "Age")).first.flatMap(CacheControl.seconds) ?? 0
  }

  /// The freshness lifetime by section 4.2.1.
  ///
  /// If the server states none, section 4.2.2 applies: a tenth of the time since the last change, at most one day.
  private var lifetime: Double {
    if control.has("max-age") { return control.seconds("max-age") ?? 0 }
    if record.headers["Expires"] != nil { return field("Expires").map { $0.timeIntervalSince(date) } ?? 0 }
    guard let changed = field("Last-Modified"), Self.heuristicStatuses.contains(record.status) else { return 0 }
    return min(max(0, date.timeIntervalSince(changed) / 10), 86_400)
  }

  // Statuses that RFC 9110 section 15.1 calls heuristically cacheable.
  fileprivate static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

  private func field(_ name: String) -> Date? {
    record.headers[name].flatMap { HTTPDate.parse($0, now: record.received) }
  }
}

/// The directives of a `Cache-Control` field.
package struct CacheControl: Sendable {
  private var directives: [(name: String, value: Substring?)] = []

  /// Parses all lines of the field.
  package init(_ lines: [String]) {
    for member in FieldList.members(of: lines) {
      let sign = member.utf8.firstIndex(of: UInt8(ascii: "="))
      let name = HTTPHeaders.folded(String(FieldList.trimmed(member[..<(sign ?? member.endIndex)])))
      // Of duplicate directives the first one counts, as RFC 9111 section 4.2.1 recommends.
      guard !name.isEmpty, !has(name) else { continue }
      let value = sign.map { FieldList.trimmed(member[member.utf8.index(after: $0)...]) }
      directives.append((name, value.map(Self.unquoted)))
    }
  }

  package func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

  /// True when a response with these directives and this status must not be stored.
  ///
  /// `must-understand` replaces `no-store` (RFC 9111 section 5.2.2.3): the cache must know the status, and then it may
  /// store the response.
  package func forbidsStoring(status: Int) -> Bool {
    has("must-understand") ? !Self.understoodStatuses.contains(status) : has("no-store")
  }

  private static let understoodStatuses =
    HTTPCacheRules.heuristicStatuses.subtracting([206]).union([302, 303, 307])

  /// The largest number of seconds; greater numbers count as this one.
  static let mostSeconds = 2_147_483_648.0

  /// The seconds that a directive states; nil when the directive is missing or has no number.
  ///
  /// Numbers that are too large count as ``mostSeconds``.
  package func seconds(_ name: String) -> Double? {
    directives.first { $0.name == name }?.value.flatMap(Self.seconds)
  }

  /// The number of seconds in a text of digits; nil when the text has other characters.
  package static func seconds(_ digits: Substring) -> Double? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return min(Double(digits) ?? 0, mostSeconds)
  }

  private static func unquoted(_ text: Substring) -> Substring {
    text.utf8.count >= 2 && text.utf8.first == UInt8(ascii: "\"") && text.utf8.last == UInt8(ascii: "\"")
      ? Substring(text.utf8.dropFirst().dropLast()) : text
  }
}

/// Compares the validators of responses: the entity tag and the date of the last change.
package enum Validators {
  /// True when a 304 response confirms the stored response whose validators were sent (RFC 9111 section 4.3.4).
  ///
  /// A strong tag must equal the tag that was sent. For a weak tag only the text in quotes must be equal. The date
  /// decides when there are no tags to compare. A 304 without any validator is accepted.
  package static func isConfirmed(_ conditions: HTTPHeaders, by head: ResponseHead) -> Bool {
    let sent = conditions["If-None-Match"]
    if let tag = head.headers["ETag"] {
      if !EntityTag.isOne(tag) {
        // A malformed tag never equals a tag that was sent. If no tag was sent, a malformed one is ignored.
        if sent != nil { return false }
      } else if !EntityTag.isWeak(tag) {
        return ByteComparison.isSame(tag, sent ?? "")
      } else if let sent {
        return ByteComparison.isSame(opaque(tag), opaque(sent))
      }
    }
    if let date = head.headers["Last-Modified"].flatMap({ HTTPDate.parse($0) }),
      let known = conditions["If-Modified-Since"].flatMap({ HTTPDate.parse($0) })
    {
      return date == known
    }
    return true
  }

  private static func opaque(_ tag: String) -> String { EntityTag.isWeak(tag) ? String(tag.dropFirst(2)) : tag }
}

/// Entity tags, which name versions of a resource (RFC 9110 section 8.8.3).
///
/// Only tags of visible ASCII are accepted. Other tags might not be sent back byte by byte, and Swift might consider
/// two different tags equal. With `*` or a tag without quotes, the condition would mean something else.
package enum EntityTag {
  /// True when the text is exactly one tag, weak or strong.
  package static func isOne(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let quoted = bytes.starts(with: weakMark) ? bytes.dropFirst(weakMark.count) : bytes[...]
    let quote = UInt8(ascii: "\"")
    return quoted.count >= 2 && quoted.first == quote && quoted.last == quote
      && quoted.dropFirst().dropLast().allSatisfy { $0 > 32 && $0 < 127 && $0 != quote }
  }

  /// True when the tag is weak: it names versions that are equivalent but not identical.
  package static func isWeak(_ tag: String) -> Bool { tag.utf8.starts(with: weakMark) }

  private static let weakMark = Array("W/".utf8)
}
