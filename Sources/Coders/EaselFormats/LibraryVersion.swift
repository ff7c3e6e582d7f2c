/// A C library and the version that this process runs with.
package struct LibraryVersion: Sendable {
  package let name: String
  package let version: String
  /// False for a library that cannot tell its version.
  ///
  /// In this case, the version is from the time of the build.
  package var isAsked = true

  package init(name: String, version: String) {
    self.name = name
    self.version = version
  }

  /// Returns nil if the library is missing.
  package init?(_ name: String, _ text: UnsafePointer<CChar>?, isAsked: Bool = true) {
    guard let text else { return nil }
    self.name = name
    version = Self.number(in: String(cString: text))
    self.isAsked = isAsked
  }

  /// Reads a packed number, in which minor and patch take `bits` bits each.
  package init(_ name: String, packed number: UInt32, bits: UInt32) {
    let mask = UInt32(1) << bits - 1
    self.init(name: name, version: "\(number >> (2 * bits)).\(number >> bits & mask).\(number & mask)")
  }

  /// The version number in a text such as `LIBTIFF, Version 4.5.0`, which may have more lines.
  package static func number(in text: String) -> String {
    let line = text.prefix { !$0.isNewline }
    let word = line.split(separator: " ").last { $0.first?.isNumber == true }
    return String(word ?? line)
  }
}
