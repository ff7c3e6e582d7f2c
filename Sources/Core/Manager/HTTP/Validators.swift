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
