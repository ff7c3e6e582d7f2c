import EaselCore

/// Reads the addresses of images and watermarks.
struct ThumborSource {
  /// The text before an address without a scheme.
  let base: String

  /// The address, decoded once, with a scheme.
  func address(_ text: Substring, of name: String) throws(ServiceError) -> String {
    guard let plain = PercentText.decoded(text), !plain.isEmpty else {
      throw ServiceError(
        400, "The address has no \(name), or one whose percent signs are not followed by two digits.")
    }
    return try complete(plain, of: name)
  }

  /// An address that is already decoded, with a scheme.
  func complete(_ text: String, of name: String) throws(ServiceError) -> String {
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw ServiceError(400, "The address of the \(name) has control characters.")
    }
    guard let colon = scheme(of: text) else {
      let path = text.drop { $0 == "/" }
      guard !path.isEmpty else { throw ServiceError(400, "The address has no \(name).") }
      return base + path
    }
    // Some programs remove one of two slashes.
    let rest = text[text.index(after: colon)...]
    guard !rest.hasPrefix("//") else { return text }
    let isFolder = HTTPHeaders.folded(String(text[..<colon])) == "local"
    return "\(text[...colon])\(isFolder ? "//" : "/")\(rest)"
  }

  /// The colon of a scheme; that of a port has no slash after it.
  private func scheme(of text: String) -> String.Index? {
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex,
      text[text.index(after: colon)...].hasPrefix("/"),
      text[..<colon].utf8.allSatisfy(Self.isInScheme)
    else { return nil }
    return colon
  }

  private static func isInScheme(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
