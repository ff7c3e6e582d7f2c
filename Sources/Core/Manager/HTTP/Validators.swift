/// The fields by which a response is recognised: its entity tag and the date of its last change.
enum Validators {
  /// Whether a 304 speaks of the response whose validators were sent as these conditions (RFC 9111 section 4.3.4).
  ///
  /// A strong tag must be the very one that was sent, a weak one needs only the same text in its quotes, and a date
  /// decides where no tags can be compared. A 304 without any validator answers the one question that was asked.
  static func isConfirmed(_ conditions: HTTPHeaders, by head: ResponseHead) -> Bool {
    let sent = conditions["If-None-Match"]
    if let tag = head.headers["ETag"] {
      if !EntityTag.isOne(tag) {
        // It is not the one that was sent, and says nothing where none was.
        if sent != nil { return false }
      } else if !EntityTag.isWeak(tag) {
        return KeyText.isSame(tag, sent ?? "")
      } else if let sent {
        return KeyText.isSame(opaque(tag), opaque(sent))
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
