import EaselCore
import FoundationEssentials

extension CacheRecord.Response {
  /// The stored parts of the head, for a caller that gets the stored response now.
  ///
  /// Its `Age` says how old the response is (RFC 9111 section 4).
  package func head(at now: Date) -> ResponseHead {
    var head = ResponseHead(url: redirectedURL, status: status, headers: headers)
    head.headers["Age"] = String(HTTPCacheRules(self).wholeAge(at: now))
    return head
  }
}

/// The header fields that identify a user.
package enum CredentialFields {
  /// True for a field that identifies a user.
  package static func contains(_ field: String) -> Bool {
    ["Authorization", "Cookie", "Proxy-Authorization"].contains { HTTPHeaders.isSame($0, field) }
  }
}

extension CacheRecord {
  /// The seconds for which the entry stays fresh by RFC 9111, negative if it is stale; nil if it has no response.
  package func freshSeconds(at now: Date) -> Double? {
    response.map { HTTPCacheRules($0).freshSeconds(at: now) }
  }

  /// True when entries with this record may go to other machines.
  package var mayBeShared: Bool { response?.mayBeShared ?? true }
}

extension CacheRecord.Response {
  /// The field whose presence in ``varyingFields`` marks an authorized request; its value is never kept.
  private static let authorization = "Authorization"

  /// Notes that the request was authorized, unless `Vary` in the response already tells users apart.
  package mutating func noteAuthorization() {
    guard !variesWithUser else { return }
    varyingFields[Self.authorization] = ""
  }

  /// True when the request was authorized.
  var wasAuthorized: Bool { varyingFields[Self.authorization] != nil }

  private var variesWithUser: Bool {
    FieldList.members(of: headers.values(of: "Vary")).contains { name in
      let name = String(name)
      return name == "*" || CredentialFields.contains(name)
    }
  }

  /// True when the response is meant for everyone.
  ///
  /// A cache of one user may keep more. A shared store never takes responses that are private, that set a cookie, that
  /// answer an authorized request, or that vary with a user; the cache policy does not matter.
  package var mayBeShared: Bool {
    let control = CacheControl(headers.values(of: "Cache-Control"))
    return !control.has("private") && !control.forbidsStoring(status: status) && headers["Set-Cookie"] == nil
      && !wasAuthorized && !variesWithUser && status != 206
  }
}
