/// What names a version of a resource: RFC 9110 section 8.8.3.
///
/// Only tags of visible ASCII count. Others would not be sent back byte by byte as they came, and two of them may be the
/// same text to Swift; a `*` or a tag without quotes would ask the server something else.
package enum EntityTag {
  /// Whether this is one tag, weak or strong.
  package static func isOne(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let quoted = bytes.starts(with: weakMark) ? bytes.dropFirst(weakMark.count) : bytes[...]
    let quote = UInt8(ascii: "\"")
    return quoted.count >= 2 && quoted.first == quote && quoted.last == quote
      && quoted.dropFirst().dropLast().allSatisfy { $0 > 32 && $0 < 127 && $0 != quote }
  }

  /// Whether the tag stands for versions that only mean the same.
  package static func isWeak(_ tag: String) -> Bool { tag.utf8.starts(with: weakMark) }

  private static let weakMark = Array("W/".utf8)
}
