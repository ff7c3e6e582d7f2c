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
