import Easel

/// The element by which a page shows a picture.
struct SiteSnippet {
  let picture: [SiteManifest.Variant]
  let size: PixelSize
  /// The beginning of addresses, without a slash at its end.
  let base: String
  let sizes: String
  /// What stands for the picture, for those who do not see it.
  let name: String

  var html: String {
    var types: [String] = []
    for variant in picture where !types.contains(variant.type) { types.append(variant.type) }
    guard let last = types.last, let widest = picture.last(where: { $0.type == last }) else { return "" }
    let sources = types.dropLast().map {
      "  <source type=\"\($0)\" srcset=\"\(sourceSet(of: $0))\" sizes=\"\(Self.escaped(sizes))\">\n"
    }
    let image =
      "<img src=\"\(address(of: widest))\" srcset=\"\(sourceSet(of: last))\" sizes=\"\(Self.escaped(sizes))\" "
      + "width=\"\(size.width)\" height=\"\(size.height)\" alt=\"\(Self.escaped(name))\" loading=\"lazy\" "
      + "decoding=\"async\">"
    return sources.isEmpty ? image + "\n" : "<picture>\n\(sources.joined())  \(image)\n</picture>\n"
  }

  private func sourceSet(of type: String) -> String {
    picture.filter { $0.type == type }.map { "\(address(of: $0)) \($0.width)w" }.joined(separator: ", ")
  }

  private func address(of variant: SiteManifest.Variant) -> String {
    Self.escaped((base.isEmpty ? "" : base + "/") + PathEscaping.escaped(variant.file))
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;")
  }
}
