import EaselCore

/// Escapes names as S3 does, which signs the very text that it gets.
enum S3Escaping {
  /// The name of an object as a path: everything but letters, digits, `-._~` and `/` is escaped.
  static func path(_ key: some StringProtocol) -> String { escaped(key.utf8, keepingSlashes: true) }

  /// A part of a query: slashes are escaped as well.
  static func query(_ text: some StringProtocol) -> String { escaped(text.utf8, keepingSlashes: false) }

  /// A part of a query that may be escaped already, escaped as ``query(_:)`` does it.
  static func normalized(_ text: some StringProtocol) -> String {
    escaped(unescaped(text) ?? Array(text.utf8), keepingSlashes: false)
  }

  /// The bytes of an escaped text; nil if an escape is damaged.
  ///
  /// A plus sign is a plus sign.
  static func unescaped(_ text: some StringProtocol) -> [UInt8]? { PercentEscapes.bytes(of: text) }

  private static func escaped(_ bytes: some Sequence<UInt8>, keepingSlashes: Bool) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.append(byte)
      case UInt8(ascii: "/") where keepingSlashes: result.append(byte)
      default: result += [UInt8(ascii: "%"), hexadecimalDigits[Int(byte >> 4)], hexadecimalDigits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let hexadecimalDigits = Array("0123456789ABCDEF".utf8)
}
