import EaselCore

/// Reads sources as grammars write them that know no scheme of this server's own.
enum GrammarSource {
  /// A source that is an address of http or https, or else the path of a file in the folder of the server.
  ///
  /// The text is decoded already. Some programs remove one of two slashes after a scheme.
  static func source(_ text: String) -> String {
    guard let scheme = scheme(of: text) else { return "local:///" + text.drop { $0 == "/" } }
    let rest = text.dropFirst(scheme.utf8.count + 1)
    return "\(scheme)://" + rest.drop { $0 == "/" }
  }

  /// `http` or `https` in lower case; nil for a path.
  static func scheme(of text: some StringProtocol) -> String? {
    let start = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    guard start.count <= 5, start.endIndex < text.utf8.endIndex else { return nil }
    let scheme = HTTPHeaders.folded(String(decoding: start, as: UTF8.self))
    let rest = text.utf8.dropFirst(start.count + 1)
    return ["http", "https"].contains(scheme) && rest.first == UInt8(ascii: "/") ? scheme : nil
  }
}
