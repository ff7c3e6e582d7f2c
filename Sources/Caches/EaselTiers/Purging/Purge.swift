/// The pictures that a purge removes: everything that was made of some sources.
///
/// ```swift
/// let purges: [Purge] = [.source("https://example.com/cat.jpg"), .sources(beginningWith: "https://example.com/dogs/")]
/// ```
public enum Purge: Hashable, Sendable {
  /// The source at this URL.
  case source(String)
  /// The sources whose URLs begin with this text.
  case sources(beginningWith: String)
  /// The results and the sources that have this tag.
  case tag(String)
  /// Everything.
  case everything
}

extension Purge {
  /// The most bytes of a URL or a tag.
  package static let longestText = 4096

  /// The purge as one word, in the form in which tables are kept.
  package var name: String {
    switch self {
    case .source(let url): "u:\(url)"
    case .sources(let prefix): "p:\(prefix)"
    case .tag(let tag): "t:\(tag)"
    case .everything: "*"
    }
  }

  /// Reads a purge that was written as one word.
  package init?(name: some StringProtocol) {
    if name == "*" {
      self = .everything
      return
    }
    let text = String(name.dropFirst(2))
    guard Self.isText(text) else { return nil }
    switch name.prefix(2) {
    case "u:": self = .source(text)
    case "p:": self = .sources(beginningWith: text)
    case "t:": self = .tag(text)
    default: return nil
    }
  }

  /// True for a text that tables can hold: visible ASCII, and not too much of it.
  package static func isText(_ text: String) -> Bool {
    (1...longestText).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// True if tables can hold it.
  package var isValid: Bool { Purge(name: name) != nil }

  var isSource: Bool { if case .source = self { true } else { false } }

  /// The next wider purge, which removes what this one removes and more.
  var wider: Purge {
    switch self {
    case .source(let text), .sources(let text):
      let inner = text.hasSuffix("/") ? text.dropLast() : text[...]
      guard let slash = inner.lastIndex(of: "/") else { return .everything }
      let folder = inner[...slash]
      // Two slashes end the scheme, so that the third ends the host.
      return folder.count(where: { $0 == "/" }) > 2 ? .sources(beginningWith: String(folder)) : .everything
    case .tag, .everything: return .everything
    }
  }
}
