/// The directives of a `Cache-Control` field.
struct CacheControl: Sendable {
  private var directives: [String: String?] = [:]

  init(_ field: String?) {
    for directive in Self.split(field ?? "", at: ",") {
      let parts = Self.split(directive, at: "=")
      guard let name = parts.first?.lowercased(), !name.isEmpty else { continue }
      // Of two with the same name the first counts, as RFC 9111 section 4.2.1 recommends.
      if directives[name] == nil { directives[name] = .some(parts.count > 1 ? Self.unquoted(parts[1]) : nil) }
    }
  }

  func has(_ name: String) -> Bool { directives[name] != nil }

  /// The seconds of a directive, nil where it is missing or is no number; a number too large counts as 2^31.
  func seconds(_ name: String) -> Double? {
    guard let value = directives[name] ?? nil, !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return min(Double(value) ?? 0, 2_147_483_648)
  }

  /// Splits outside of quotes and trims blanks.
  private static func split(_ text: String, at separator: Character) -> [String] {
    var parts = [""]
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if character == "\"" && !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      if character == separator && !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts.map(trimmed)
  }

  private static func unquoted(_ text: String) -> String {
    text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
