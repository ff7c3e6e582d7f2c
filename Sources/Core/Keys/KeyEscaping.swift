import EaselSupport

/// Escapes bytes that have a meaning in a key: `%` and two hexadecimal digits stand for such a byte.
package enum KeyEscaping {
  package static func escape(_ text: String, where mustBeEscaped: (UInt8) -> Bool) -> String {
    guard text.utf8.contains(where: mustBeEscaped) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if mustBeEscaped(byte) { bytes += Array("%\(hexadecimal([byte]))".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads text that ``escape(_:where:)`` wrote; returns nil if digits are missing.
  package static func unescape(_ text: some StringProtocol) -> String? {
    PercentEscapes.bytes(of: text).map { String(decoding: $0, as: UTF8.self) }
  }
}
