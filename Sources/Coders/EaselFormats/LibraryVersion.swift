/// A C library and the version that this process runs with.
package struct LibraryVersion: Sendable {
  package let name: String
  package let version: String
  /// False for a library that does not tell its version; then it is the one that the program was built with.
  package var isAsked = true

  package init(name: String, version: String) {
    self.name = name
    self.version = version
  }

  /// Nil if the library is missing.
  package init?(_ name: String, _ text: UnsafePointer<CChar>?, isAsked: Bool = true) {
    guard let text else { return nil }
    self.name = name
    version = Self.number(in: String(cString: text))
    self.isAsked = isAsked
  }

  /// A number that has so many bits for minor and for patch.
  package init(_ name: String, packed number: UInt32, bits: UInt32) {
    let mask = UInt32(1) << bits - 1
    self.init(name: name, version: "\(number >> (2 * bits)).\(number >> bits & mask).\(number & mask)")
  }

  /// The number in a text such as `LIBTIFF, Version 4.5.0` and a notice in further lines.
  package static func number(in text: String) -> String {
    let line = text.prefix { !$0.isNewline }
    let word = line.split(separator: " ").last { $0.first?.isNumber == true }
    return String(word ?? line)
  }
}
