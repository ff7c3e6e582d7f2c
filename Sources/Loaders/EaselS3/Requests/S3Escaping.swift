import EaselCore
import EaselSupport

/// Escapes names in the way of S3, because S3 signs exactly the text that it gets.
enum S3Escaping {
  /// The name of an object as a path: all bytes except letters, digits, `-._~` and `/` are escaped.
  static func path(_ key: some StringProtocol) -> String { escaped(key.utf8, keepingSlashes: true) }

  /// A part of a query, in which slashes are escaped too.
  static func query(_ text: some StringProtocol) -> String { escaped(text.utf8, keepingSlashes: false) }

  /// A part of a query that may already be escaped, in the form of ``query(_:)``.
  static func normalized(_ text: some StringProtocol) -> String {
    escaped(unescaped(text) ?? Array(text.utf8), keepingSlashes: false)
  }

  /// The bytes of an escaped text; nil if an escape is malformed.
  ///
  /// A plus sign stands for itself, not for a blank.
  static func unescaped(_ text: some StringProtocol) -> [UInt8]? { PercentEscapes.bytes(of: text) }

  private static func escaped(_ bytes: some Sequence<UInt8>, keepingSlashes: Bool) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      let isKept = PercentEscapes.isUnreserved(byte) || keepingSlashes && byte == UInt8(ascii: "/")
      result += isKept ? [byte] : PercentEscapes.escape(of: byte)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
