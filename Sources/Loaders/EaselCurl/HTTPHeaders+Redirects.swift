import EaselCore

extension HTTPHeaders {
  /// The fields that a loader may send on when a redirect leads to another scheme, host or port.
  ///
  /// These are `Accept`, `Accept-*`, `User-Agent`, `Referer`, `Range`, `If-*`, `Cache-Control`, `Pragma` and those that
  /// are named in `names`, and with a body the fields that describe it. All others may be secrets for the first server.
  ///
  /// ```swift
  /// let fields: HTTPHeaders = ["Accept": "image/*", "Authorization": "Bearer 123"]
  /// let sentOn = fields.forAnyone(hasBody: false)  // "Accept" alone
  /// ```
  public func forAnyone(hasBody: Bool, and names: [String] = []) -> HTTPHeaders {
    let further = Set(names.map(Self.folded))
    return filtered { name in
      let name = Self.folded(name)
      return Self.namesForAnyone.contains(name) || name.hasPrefix("accept-") || name.hasPrefix("if-")
        || (hasBody && name.hasPrefix("content-")) || further.contains(name)
    }
  }

  private static let namesForAnyone: Set = ["accept", "user-agent", "referer", "range", "cache-control", "pragma"]
}
