/// The parts of a URL that may be logged: scheme, host, port and path, but no credentials and no query.
package struct LoggedURL {
  /// The host with its port; the scheme if there is no host.
  package let host: String
  /// Scheme, host, port and path.
  package let text: String

  /// Returns nil for a text without a scheme.
  package init?(_ source: String) {
    guard let colon = source.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = source[..<colon].lowercased()
    guard !scheme.isEmpty, scheme.utf8.count <= 20, scheme.utf8.allSatisfy(Self.isInScheme) else { return nil }
    let rest = source[source.utf8.index(after: colon)...]
    // A `data:` URL contains the picture itself, and other URLs without a host have no known form.
    guard rest.hasPrefix("//") else {
      host = scheme
      text = "\(scheme):*"
      return
    }
    let afterSlashes = rest.utf8.dropFirst(2)
    let authority = afterSlashes.prefix { !Self.endsAuthority($0) }
    let path = afterSlashes[authority.endIndex...].prefix { byte in
      byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#") && byte != UInt8(ascii: ";")
    }
    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    let name = source[(at.map { authority.index(after: $0) } ?? authority.startIndex)..<authority.endIndex].lowercased()
    // If a password contains a slash, the credentials look like a host, a port and a path.
    guard Self.isHost(name), !(authority.contains(UInt8(ascii: ":")) && path.contains(UInt8(ascii: "@"))) else {
      host = scheme
      text = "\(scheme):*"
      return
    }
    host = name.isEmpty ? scheme : name
    // The path may contain another URL, which may have its own credentials.
    let mayHideUser = path.contains(UInt8(ascii: "@")) && path.contains(UInt8(ascii: ":"))
    text = "\(scheme)://\(name)\(mayHideUser ? "/*" : source[path.startIndex..<path.endIndex])"
  }

  /// Removes credentials and queries from all URLs in a text.
  package static func hidingSecrets(in text: String) -> String {
    guard text.contains(":") else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      // A URL may be in quotes or brackets, and a full stop may follow it.
      guard let start = word.firstIndex(where: { $0.isASCII && $0.isLetter }), word[start...].contains("://") else {
        return String(word)
      }
      let ending = word.last.map { ".,:;".contains($0) ? String($0) : "" } ?? ""
      return word[..<start] + (LoggedURL(String(word[start...].dropLast(ending.count)))?.text ?? "(not shown)") + ending
    }.joined(separator: " ")
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
    default: false
    }
  }

  /// True for a name or an address, with or without a port.
  private static func isHost(_ text: String) -> Bool {
    guard text.utf8.count <= 260 else { return false }
    var name = text[...]
    if !text.hasSuffix("]"), let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) {
      let port = text[text.utf8.index(after: colon)...].utf8
      guard port.count <= 5, port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        return false
      }
      name = text[..<colon]
    }
    if name.hasPrefix("["), name.hasSuffix("]") {
      return name.dropFirst().dropLast().utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: ":")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
          || byte == UInt8(ascii: ".")
      }
    }
    // Most names consist of these bytes alone, and looking up the properties of scalars is slow.
    if name.utf8.allSatisfy(isInScheme) { return true }
    return name.unicodeScalars.allSatisfy { scalar in
      scalar == "." || scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic
        || ("0"..."9").contains(scalar)
    }
  }

  private static func isInScheme(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
