import EaselCore
import EaselSupport

/// Writes the names and parameters of transformers in keys.
package enum KeyText {
  package static func make(_ name: String, _ parameters: String...) -> String {
    "\(name)(\(parameters.joined(separator: ",")))"
  }

  /// A number without a decimal form is refused when the transformer runs, but needs a key until then.
  package static func number(_ value: Double) -> String { (try? KeyNumber.text(value)) ?? "\(value)" }

  static func list(_ values: Int...) -> String { "{\(values.map(String.init).joined(separator: ","))}" }

  /// Escapes all characters of a name except letters, digits, dots and underscores as `%` and two digits, so that the
  /// name cannot be taken for another part of the key.
  package static func name(_ name: String) -> String {
    name.utf8.map { byte in
      isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + hexadecimal(byte)
    }.joined()
  }

  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
