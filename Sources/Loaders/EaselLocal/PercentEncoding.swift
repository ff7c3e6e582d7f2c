/// Decodes bytes that are written as `%` and two hexadecimal digits.
enum PercentEncoding {
  /// The bytes that a text with escapes stands for.
  ///
  /// A malformed escape stays as it is.
  static func decoded(_ text: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    forEachByte(of: text) { result.append($0) }
    return result
  }

  /// Calls `body` with each byte that a text with escapes stands for.
  static func forEachByte(of text: some Collection<UInt8>, _ body: (UInt8) -> Void) {
    var position = text.startIndex
    while position != text.endIndex {
      let byte = text[position]
      position = text.index(after: position)
      if byte == UInt8(ascii: "%"), let (value, end) = escape(in: text, at: position) {
        position = end
        body(value)
      } else {
        body(byte)
      }
    }
  }

  private static func escape<Text: Collection<UInt8>>(
    in text: Text, at start: Text.Index
  ) -> (value: UInt8, end: Text.Index)? {
    guard start != text.endIndex, let high = digit(text[start]) else { return nil }
    let next = text.index(after: start)
    guard next != text.endIndex, let low = digit(text[next]) else { return nil }
    return (high << 4 | low, text.index(after: next))
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
