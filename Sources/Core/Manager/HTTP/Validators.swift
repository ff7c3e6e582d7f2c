/// Compares the validators of responses: the entity tag and the date of the last change.
enum Validators {
  /// True when a 304 response is about the stored response whose validators were sent (RFC 9111 section 4.3.4).
  ///
  /// A strong tag must equal the tag that was sent. For a weak tag only the text in quotes must be equal. The date
  /// decides when there are no tags to compare. A 304 without any validator is accepted.
  static func isConfirmed(_ conditions: HTTPHeaders, by head: ResponseHead) -> Bool {
    let sent = conditions["If-None-Match"]
    if let tag = head.headers["ETag"] {
      if !EntityTag.isOne(tag) {
        // A malformed tag cannot equal a tag that was sent. If no tag was sent, a malformed one is ignored.
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
/// Only tags of visible ASCII are accepted. Other tags might not be sent back byte by byte, and Swift might treat two
/// different ones as equal text. A `*`, or a tag without quotes, would ask the server something else.
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
