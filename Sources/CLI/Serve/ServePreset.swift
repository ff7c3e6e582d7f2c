import Easel
import EaselService
import EaselSupport

/// Options of URLs under a name.
struct ServePreset: Hashable, Sendable {
  let name: String
  let options: String

  /// Reads `NAME=OPTIONS`; the options are read by the grammar of URLs.
  init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let name = parts[0].trimmed
    let options = parts[1].trimmed
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isInName), !options.isEmpty else { return nil }
    self.name = name
    self.options = options
  }

  static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
