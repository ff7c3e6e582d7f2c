/// Writes bytes that mean something in a key as `%` and two hexadecimal digits.
enum KeyEscaping {
  static func escape(_ text: String, where mustBeEscaped: (UInt8) -> Bool) -> String {
    guard text.utf8.contains(where: mustBeEscaped) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if mustBeEscaped(byte) { bytes += Array("%\(hexadecimal([byte]))".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads what ``escape(_:where:)`` writes; nil if digits are missing.
  static func unescape(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    byte.flatMap { Character(UnicodeScalar($0)).hexDigitValue }.map { UInt8($0) }
  }
}
