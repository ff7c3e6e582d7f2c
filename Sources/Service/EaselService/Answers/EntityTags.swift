/// The validators that a client has of an answer.
struct EntityTags {
  private let isAny: Bool
  private let tags: Set<String>

  /// Reads the values of `If-None-Match`.
  init(_ values: [String]) {
    var tags: Set<String> = []
    var isAny = false
    for value in values {
      for member in value.split(separator: ",").map(\.trimmed) {
        if member == "*" { isAny = true }
        // A weak validator is compared like a strong one here (RFC 9110, section 13.1.2).
        tags.insert(String(member.hasPrefix("W/") ? member.dropFirst(2) : member))
      }
    }
    (self.isAny, self.tags) = (isAny, tags)
  }

  /// True if the client has this answer.
  func contain(_ tag: String) -> Bool { isAny || tags.contains(tag) }
}
