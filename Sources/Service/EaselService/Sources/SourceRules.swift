import EaselCore
import EaselSupport
import FoundationEssentials

/// The sources from which pictures may be loaded.
///
/// ```swift
/// let rules = try SourceRules(allowing: ["https://*.example.com", "https://example.org/pictures"])
/// ```
public struct SourceRules: Sendable {
  /// The patterns of the addresses that are allowed; empty if every http(s) address is.
  private let patterns: [SourcePattern]
  /// The further places of sources that the operator has described.
  private let places: [SourcePlace]
  /// True if `local:///` names files in a folder.
  private let hasFolder: Bool
  /// True if http(s) addresses are allowed at all.
  private let allowsWeb: Bool

  private static let mostBytes = 4096

  /// Allows every http(s) source.
  public init() { self.init([], folder: false, web: true) }

  private init(_ patterns: [SourcePattern], _ places: [SourcePlace] = [], folder: Bool, web: Bool) {
    (self.patterns, self.places, hasFolder, allowsWeb) = (patterns, places, folder, web)
  }

  /// Allows nothing but files of the folder.
  package static let folderOnly = SourceRules([], folder: true, web: false)

  /// Allows the sources that match one of the patterns, or every http(s) source if there is no pattern.
  ///
  /// A pattern is `scheme://host:port/path`. Without a port, it is the scheme's own. A host of `*` is any host, and
  /// `*.example.com` any host below `example.com`. A path stands for itself and everything below it. The folder is
  /// always allowed if there is one.
  public init(allowing patterns: [String], folder: Bool = false) throws(ImageError) {
    try self.init(allowing: patterns, folder: folder, places: [])
  }

  /// Allows these places as well, whatever the patterns say.
  package init(allowing patterns: [String], folder: Bool, places: [SourcePlace]) throws(ImageError) {
    var parsed: [SourcePattern] = []
    for pattern in patterns { parsed.append(try SourcePattern(pattern)) }
    self.init(parsed, places, folder: folder, web: true)
  }

  /// True if a redirect may lead to this address.
  ///
  /// Without it, a server of an allowed host could send this one anywhere.
  package func allows(_ url: URL) -> Bool {
    guard url.scheme == "http" || url.scheme == "https" else { return false }
    return (try? self.url(of: url.absoluteString)) != nil
  }

  /// The URL of a source as a URL of this server names it.
  func url(of source: String) throws(ServiceError) -> URL {
    guard source.utf8.count <= Self.mostBytes else {
      throw ServiceError(414, "The address of the source has more than \(Self.mostBytes) bytes.")
    }
    guard let colon = source.utf8.firstIndex(of: UInt8(ascii: ":")), source[colon...].hasPrefix("://") else {
      throw Self.malformed
    }
    let scheme = HTTPHeaders.folded(String(source[..<colon]))
    switch scheme {
    case "http", "https":
      guard allowsWeb else { throw ServiceError(403, "The source is not allowed.") }
      return try webURL(source)
    case "local":
      if let url = Self.url(ofName: source[colon...].dropFirst(3), scheme), isPlace(url) { return url }
      return try folderURL(source.utf8[colon...].dropFirst(3))
    case "dav", "davs":
      guard let url = try? webURL(source, isAllowed: { self.isPlace($0) }) else { fallthrough }
      return url
    case "s3", "gs", "azure":
      guard let url = Self.url(ofName: source[colon...].dropFirst(3), scheme), isPlace(url) else { fallthrough }
      return url
    default: throw ServiceError(403, "The source is not allowed.")
    }
  }

  private static let malformed = ServiceError(
    400, "The source must be an address such as https://example.com/picture.jpg.")

  private func isPlace(_ url: URL) -> Bool { places.contains { $0.matches(url) } }

  /// The URL of an object in a place, whose name is taken as it is: nothing in it has a meaning but slashes.
  private static func url(ofName name: Substring, _ scheme: String) -> URL? {
    guard let slash = name.firstIndex(of: "/") else { return nil }
    let host = name[..<slash]
    guard host.utf8.allSatisfy({ PercentEscapes.isUnreserved($0) || $0 == UInt8(ascii: "$") }), !host.isEmpty,
      !name[slash...].utf8.contains(0)
    else { return nil }
    let path = name[slash...].utf8.flatMap {
      PercentEscapes.isUnreserved($0) || $0 == UInt8(ascii: "/") ? [$0] : PercentEscapes.escape(of: $0)
    }
    return URL(string: "\(scheme)://\(host)\(String(decoding: path, as: UTF8.self))")
  }

  private func webURL(_ source: String) throws(ServiceError) -> URL {
    try webURL(source) { url in patterns.isEmpty || patterns.contains { $0.matches(url) } || isPlace(url) }
  }

  private func webURL(_ source: String, isAllowed: (URL) -> Bool) throws(ServiceError) -> URL {
    // A fragment is the reader's own business.
    let bytes = Array(source.utf8.prefix { $0 != UInt8(ascii: "#") })
    guard let text = Self.escaped(bytes), let url = URL(string: text), let host = url.host(), !host.isEmpty else {
      throw Self.malformed
    }
    guard url.user() == nil, url.password() == nil, !text.contains("@") || !hasUserInfo(text[...]),
      isAllowed(url)
    else { throw ServiceError(403, "The source is not allowed.") }
    return url
  }

  /// An address of which the path and the query are escaped where they have to be; nil if it cannot be one.
  ///
  /// People write blanks in addresses. A blank or a backslash in the name of a host could deceive somebody, and a line
  /// break has no place in a request at all.
  private static func escaped(_ address: [UInt8]) -> String? {
    let start = address.firstIndex(of: UInt8(ascii: ":")).map { $0 + 3 } ?? 0
    let path = address.indices.first { $0 >= start && "/?".utf8.contains(address[$0]) } ?? address.endIndex
    var text = Array(address[..<path])
    guard !text.contains(where: { $0 <= 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "\\") }) else { return nil }
    for index in path..<address.endIndex {
      let byte = address[index]
      guard byte >= 0x20, byte != 0x7f else { return nil }
      let isPlain =
        byte == UInt8(ascii: "%")
        ? PercentEscapes.bytes(of: String(decoding: address[index...].prefix(3), as: UTF8.self))?.count == 1
        : PercentEscapes.isUnreserved(byte) || "/?:@!$&'()*+,;=".utf8.contains(byte)
      text += isPlain ? [byte] : PercentEscapes.escape(of: byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The URL of a file, whose path is the name of the file as it is: nothing in it has a meaning but the slash.
  private func folderURL(_ path: some Sequence<UInt8>) throws(ServiceError) -> URL {
    guard hasFolder else { throw ServiceError(403, "The source is not allowed.") }
    let name = Array(path)
    let text = name.flatMap {
      PercentEscapes.isUnreserved($0) || $0 == UInt8(ascii: "/") ? [$0] : PercentEscapes.escape(of: $0)
    }
    guard name.first == UInt8(ascii: "/"), !name.contains(0),
      let url = URL(string: "local://\(String(decoding: text, as: UTF8.self))")
    else { throw ServiceError(404, "The source has no such picture.") }
    return url
  }

  /// True if the authority names a user, which some parsers overlook.
  private func hasUserInfo(_ text: Substring) -> Bool {
    guard let start = text.firstRange(of: "://")?.upperBound else { return false }
    return text[start...].prefix { !"/?".contains($0) }.contains("@")
  }
}
