/// Base64 with the letters of URLs.
enum Base64URL {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encoded(_ bytes: some Collection<UInt8>, isPadded: Bool = false) -> String {
    var text: [UInt8] = []
    var rest = bytes[...]
    while let first = rest.popFirst() {
      let (second, third) = (rest.popFirst(), rest.popFirst())
      text.append(letters[Int(first >> 2)])
      text.append(letters[Int(first & 3) << 4 | Int(second ?? 0) >> 4])
      if let second { text.append(letters[Int(second & 15) << 2 | Int(third ?? 0) >> 6]) }
      if let third { text.append(letters[Int(third & 63)]) }
      if isPadded, third == nil { text += Array((second == nil ? "==" : "=").utf8) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes, nil for a text that is no base64; padding may be there or not.
  static func decoded(_ text: some StringProtocol) -> [UInt8]? {
    var digits = Array(text.utf8)
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    guard text.utf8.count - digits.count <= 2, digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var bits: UInt32 = 0
    var count = 0
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
