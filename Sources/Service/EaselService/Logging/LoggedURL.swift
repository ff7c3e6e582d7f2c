/// The parts of a source that may stand in a log: scheme, host, port and path, and no credentials and no query.
struct LoggedURL {
  /// The host with its port; the scheme if there is no host.
  let host: String
  /// Scheme, host, port and path.
  let text: String

  /// Nil for a text without a scheme.
  init?(_ source: String) {
    guard let colon = source.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = source[..<colon].lowercased()
    guard !scheme.isEmpty, scheme.utf8.count <= 20, scheme.utf8.allSatisfy(Self.isInScheme) else { return nil }
    let rest = source[source.utf8.index(after: colon)...]
    // The body of a data: URL is the picture itself, and other URLs without a host have no known form.
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
    // Credentials with a slash in them would otherwise be taken for a host, a port and a path.
    guard Self.isHost(name), !(authority.contains(UInt8(ascii: ":")) && path.contains(UInt8(ascii: "@"))) else {
      host = scheme
      text = "\(scheme):*"
      return
    }
    host = name.isEmpty ? scheme : name
    text = "\(scheme)://\(name)\(source[path.startIndex..<path.endIndex])"
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
    // Most names are made of these bytes alone, and to look up the properties of a scalar is slow.
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

/// The part of a request's path that may stand in a log: the options, without the signature and without the source.
///
/// The source is left out because it may have credentials, or be encoded in a way that hides them.
enum LoggedPath {
  private static let longestOption = 24

  static func text(_ target: String, _ route: ServiceRoute) -> String {
    let path = target.unicodeScalars.prefix { $0 != "?" && $0 != "#" }
    let whole = String(String.UnicodeScalarView(path))
    switch route {
    case .health, .ready, .metrics, .playground: return whole
    case .picture, .original, .info, .other: break
    }
    var segments = whole.split(separator: "/", omittingEmptySubsequences: true)[...]
    var shown: [String] = []
    if segments.first == "info" {
      shown.append("info")
      segments.removeFirst()
    }
    if let signature = segments.popFirst() {
      shown.append(["unsafe", "insecure", "_"].contains(signature) ? String(signature) : "*")
    }
    for segment in segments {
      guard let option = option(segment) else {
        shown.append("*")
        break
      }
      shown.append(option)
    }
    return "/" + shown.joined(separator: "/")
  }

  /// An option as it may be shown; nil if the segment may belong to the source.
  private static func option(_ segment: Substring) -> String? {
    let parts = segment.split(separator: ":", omittingEmptySubsequences: false)
    guard let name = parts.first, (1...longestOption).contains(name.utf8.count), name.utf8.allSatisfy(isInName),
      // Its arguments may be URLs.
      !["plain", "enc", "filters"].contains(name),
      // Encoded sources have upper-case letters from their second byte on, so they are never taken for a word.
      parts.count > 1 || name.utf8.count <= 12
    else { return nil }
    let arguments = parts.dropFirst().map { argument in
      argument.utf8.count <= longestOption && argument.utf8.allSatisfy(isInArgument) ? String(argument) : "*"
    }
    return ([String(name)] + arguments).joined(separator: ":")
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isInArgument(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: ","): true
    default: isInName(byte)
    }
  }
}
