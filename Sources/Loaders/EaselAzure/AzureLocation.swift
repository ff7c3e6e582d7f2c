import EaselSupport
import FoundationEssentials

/// A blob in a container.
package struct AzureLocation: Hashable {
  package let container: String
  package let blob: String

  /// Reads `azure://container/blob`; nil for anything else.
  package init?(_ url: URL) {
    let text = url.absoluteString
    guard text.prefix(8).lowercased() == "azure://" else { return nil }
    let rest = text.dropFirst(8).prefix { $0 != "?" && $0 != "#" }
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    let container = String(rest[..<slash])
    guard Self.isContainer(container), let bytes = PercentEscapes.bytes(of: rest[rest.index(after: slash)...]),
      (1...Self.longestBlob).contains(bytes.count), let blob = String(validating: bytes, as: UTF8.self),
      // A server would take these for steps to other containers.
      !blob.split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0 == "." || $0 == ".." }),
      !bytes.contains(0), !bytes.contains(UInt8(ascii: "\\"))
    else { return nil }
    (self.container, self.blob) = (container, blob)
  }

  /// The path behind the address of the server, escaped.
  package var path: String {
    var text: [UInt8] = []
    for byte in blob.utf8 {
      let isKept = PercentEscapes.isUnreserved(byte) || byte == UInt8(ascii: "/")
      text += isKept ? [byte] : PercentEscapes.escape(of: byte)
    }
    return container + "/" + String(decoding: text, as: UTF8.self)
  }

  /// The longest name that Azure allows, as bytes.
  private static let longestBlob = 1024 * 4

  /// True for a name that Azure allows: small letters, digits and single hyphens, or one of the special containers.
  private static func isContainer(_ name: String) -> Bool {
    if ["$root", "$web"].contains(name) { return true }
    return (3...63).contains(name.utf8.count) && !name.hasPrefix("-") && !name.hasSuffix("-") && !name.contains("--")
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}
