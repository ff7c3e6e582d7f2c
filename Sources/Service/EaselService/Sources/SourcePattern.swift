import EaselCore
import EaselSupport
import FoundationEssentials

/// One pattern of allowed sources.
struct SourcePattern: Hashable, Sendable {
  let scheme: String
  private let host: String
  private let port: Int
  /// The path without a slash at its end; empty for all paths.
  private let path: String

  /// Reads a pattern of one of these schemes.
  init(_ text: String, schemes: [String] = ["http", "https"]) throws(ImageError) {
    func malformed() -> ImageError {
      ImageError(
        .invalidURL,
        "'\(text)' is no pattern of sources. Write it as https://example.com/folder, with * or *. for hosts.")
    }
    guard let separator = text.firstRange(of: "://") else { throw malformed() }
    scheme = HTTPHeaders.folded(String(text[..<separator.lowerBound]))
    let rest = text[separator.upperBound...]
    let authority = rest.prefix { $0 != "/" }
    guard schemes.contains(scheme), !authority.isEmpty, !authority.contains("@") else { throw malformed() }
    let (name, port) = try Self.split(authority, scheme: scheme, or: malformed)
    guard !name.isEmpty, !name.dropFirst(name.hasPrefix("*") ? 1 : 0).contains("*"),
      !name.hasPrefix("*") || name == "*" || name.hasPrefix("*.")
    else { throw malformed() }
    host = HTTPHeaders.folded(name)
    self.port = port
    var path = rest.dropFirst(authority.count)
    if path.hasSuffix("*") { path.removeLast() }
    while path.hasSuffix("/") { path.removeLast() }
    guard !path.contains(where: { "*?#%".contains($0) }), !path.split(separator: "/").contains("..") else {
      throw malformed()
    }
    self.path = String(path)
  }

  private static func split(
    _ authority: Substring, scheme: String, or malformed: () -> ImageError
  ) throws(ImageError) -> (String, Int) {
    let standard = standardPort(of: scheme)
    // Colons in brackets belong to an address of IPv6.
    let end = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
    guard let colon = authority[end...].lastIndex(of: ":") else { return (String(authority), standard) }
    guard let port = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(port) else {
      throw malformed()
    }
    return (String(authority[..<colon]), port)
  }

  private static func standardPort(of scheme: String) -> Int { ["https", "davs"].contains(scheme) ? 443 : 80 }

  /// True if the address is one of those that the pattern means.
  ///
  /// The path is compared after decoding, so that `%2e%2e` leads nowhere else.
  func matches(_ url: URL) -> Bool {
    guard HTTPHeaders.folded(url.scheme ?? "") == scheme, (url.port ?? Self.standardPort(of: scheme)) == port,
      var name = url.host().map(HTTPHeaders.folded)
    else { return false }
    if name.hasSuffix(".") { name.removeLast() }
    if host.hasPrefix("*.") {
      guard name.hasSuffix(host.dropFirst()), name.utf8.count > host.utf8.count - 1 else { return false }
    } else if host != "*", name != host, "[\(name)]" != host {
      return false
    }
    guard !path.isEmpty else { return true }
    let decoded = url.path(percentEncoded: false)
    guard !decoded.split(separator: "/").contains(where: { $0 == ".." || $0 == "." }), !decoded.contains("\\"),
      !decoded.contains("//")
    else { return false }
    return decoded == path || decoded.hasPrefix(path + "/")
  }
}
