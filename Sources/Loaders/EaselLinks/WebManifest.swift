import FoundationEssentials

/// The icons that the manifest of a page names.
package enum WebManifest {
  private struct Contents: Decodable {
    let icons: [Icon]?
  }

  private struct Icon: Decodable {
    let src: String?
    let sizes: String?
    let purpose: String?
  }

  /// The addresses of icons, the largest first; none of a text that is no manifest.
  package static func icons(in bytes: [UInt8]) -> [String] {
    guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)) else { return [] }
    let icons = (contents.icons ?? []).compactMap { icon -> (name: String, side: Int)? in
      // Icons of one colour are masks, and no pictures.
      guard let name = icon.src, icon.purpose?.lowercased() != "monochrome" else { return nil }
      return (name, IconSize.side(icon.sizes) ?? 0)
    }
    return icons.sorted { $0.side > $1.side }.map(\.name)
  }
}
