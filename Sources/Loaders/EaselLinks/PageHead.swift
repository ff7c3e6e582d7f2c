/// What the beginning of a page says of its pictures.
///
/// It reads the tags `meta`, `link` and `base` until the body begins, and nothing of scripts, styles and comments. Damaged
/// pages are read as far as they make sense.
package struct PageHead {
  package private(set) var base: String?
  package private(set) var manifest: String?
  private var openGraph: [String] = []
  private var card: [String] = []
  private var icons: [(name: String, side: Int)] = []

  package init(_ bytes: [UInt8]) {
    var scanner = TagScanner(bytes)
    while let tag = scanner.next() {
      switch tag.name {
      case "meta": takeMeta(tag.attributes)
      case "link": takeLink(tag.attributes)
      case "base": base = base ?? tag.attributes["href"]
      case "body", "/head": return
      default: continue
      }
    }
  }

  /// The addresses in a place, the best first.
  package func names(of source: LinkLoader.Source) -> [String] {
    switch source {
    case .openGraph: openGraph
    case .card: card
    case .icon: icons.sorted { $0.side > $1.side }.map(\.name) + ["/favicon.ico"]
    case .manifest: []
    }
  }

  private mutating func takeMeta(_ attributes: [String: String]) {
    guard let content = attributes["content"], !content.isEmpty else { return }
    switch (attributes["property"] ?? attributes["name"] ?? "").lowercased() {
    case "og:image", "og:image:url", "og:image:secure_url": openGraph.append(content)
    case "twitter:image", "twitter:image:src": card.append(content)
    default: break
    }
  }

  private mutating func takeLink(_ attributes: [String: String]) {
    guard let name = attributes["href"], !name.isEmpty else { return }
    let kinds = (attributes["rel"] ?? "").lowercased().split { $0.isWhitespace }
    if kinds.contains("manifest") { manifest = manifest ?? name }
    // Icons of one colour are masks, and no pictures.
    guard kinds.contains("icon") || kinds.contains("apple-touch-icon") else { return }
    let usual = kinds.contains("icon") ? 16 : 180
    icons.append((name, IconSize.side(attributes["sizes"]) ?? usual))
  }
}
