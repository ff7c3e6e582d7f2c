import EaselCore
import EaselSupport

/// The normal form of http and https URLs, by RFC 3986 section 6.2.2 and by the rules of these schemes.
///
/// URLs with the same normal form name the same thing. Scheme and host are in lower case. There is no port if it is the
/// usual one of the scheme. The path is not empty and has no `.` and `..`. Only bytes that must be escaped are, with
/// digits in upper case. There is no fragment, because it is not sent.
package enum URLNormalForm {
  /// The normal form of a URL; nil for other schemes, whose servers may treat these spellings as different.
  package static func text(of url: String) -> String? {
    var rest = url.utf8[...]
    let scheme = HTTPHeaders.folded(String(Substring(take(from: &rest) { $0 == UInt8(ascii: ":") })))
    guard let port = ["http": 80, "https": 443][scheme], rest.starts(with: "://".utf8) else { return nil }
    rest = rest.dropFirst(3)
    let authority = take(from: &rest) { "/?#".utf8.contains($0) }
    let path = take(from: &rest) { "?#".utf8.contains($0) }
    let query = take(from: &rest) { $0 == UInt8(ascii: "#") }
    return "\(scheme)://\(normal(authority, without: port))\(withoutDots(escaped(path)))\(escaped(query))"
  }

  /// True for most URLs that are in their normal form; much quicker than ``text(of:)``.
  package static func isPlain(_ url: String) -> Bool {
    var url = url
    return url.withUTF8 { bytes in
      guard let start = ["http://", "https://"].first(where: { bytes.starts(with: $0.utf8) })?.utf8.count else {
        return false
      }
      let slash = UInt8(ascii: "/")
      // A host with a colon is not plain, because the port after the colon may be the usual one.
      guard let path = bytes[start...].firstIndex(of: slash),
        bytes[start..<path].allSatisfy({ byte in
          PercentEscapes.isUnreserved(byte) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        })
      else { return false }
      var last = slash
      for byte in bytes[path...] {
        if byte >= 128 || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "#") { return false }
        // The dot may begin a segment of dots.
        if byte == UInt8(ascii: "."), last == slash { return false }
        last = byte
      }
      return true
    }
  }

  private typealias Part = Substring.UTF8View

  /// Removes everything before the first byte at which `ends` returns true.
  private static func take(from rest: inout Part, until ends: (UInt8) -> Bool) -> Part {
    let part = rest.prefix { !ends($0) }
    rest = rest[part.endIndex...]
    return part
  }

  private static func normal(_ authority: Part, without defaultPort: Int) -> String {
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) } ?? authority.startIndex
    var name = authority[host...]
    // The colons of an address in brackets do not begin a port.
    if let colon = name.lastIndex(of: UInt8(ascii: ":")), !name[colon...].contains(UInt8(ascii: "]")) {
      let port = String(Substring(name[name.index(after: colon)...]))
      if port.isEmpty || Int(port) == defaultPort { name = name[..<colon] }
    }
    return escaped(authority[..<host]) + HTTPHeaders.folded(escaped(name))
  }

  /// Escapes only those bytes of a part that need it: others are not allowed, or would have another meaning.
  private static func escaped(_ part: Part) -> String {
    var text: [UInt8] = []
    var rest = Array(part)[...]
    while let byte = rest.first {
      let sequence = byte == UInt8(ascii: "%") ? rest.prefix(3) : []
      if let value = PercentEscapes.bytes(of: String(decoding: sequence, as: UTF8.self))?.first {
        rest = rest.dropFirst(3)
        text += PercentEscapes.isUnreserved(value) ? [value] : PercentEscapes.escape(of: value)
      } else {
        rest = rest.dropFirst()
        text += byte < 128 ? [byte] : PercentEscapes.escape(of: byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Removes `.` and `..` by section 5.2.4; an empty path becomes `/`.
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for segment in segments {
      if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
    }
    // A path that ends with `.` or `..` names a folder.
    if let last = segments.last, last == "." || last == ".." { kept.append("") }
    return "/" + kept.joined(separator: "/")
  }
}
