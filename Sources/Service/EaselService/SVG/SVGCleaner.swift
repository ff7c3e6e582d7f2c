import EaselCore

/// Writes a drawing anew with only what draws: no scripts, no links, nothing from other places.
///
/// What is not known to be harmless is left out, and a document that is not understood is refused. So a browser that shows
/// the result by itself runs nothing and asks nobody.
package struct SVGCleaner {
  /// The largest document.
  static let mostBytes = 8 << 20
  private static let mostDepth = 256

  private var result: [UInt8] = []
  /// The names of the open elements that were written.
  private var open: [String] = []
  /// The number of open elements within one that is left out.
  private var leftOut = 0
  private var style = ""

  /// The cleaned document; nil if it is no drawing that is understood.
  package static func cleaned(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count <= mostBytes else { return nil }
    var cleaner = SVGCleaner()
    return (try? cleaner.run(bytes)) == true ? cleaner.result : nil
  }

  private mutating func run(_ bytes: [UInt8]) throws(XMLReader.Malformed) -> Bool {
    var reader = XMLReader(bytes)
    result.reserveCapacity(bytes.count)
    var hasRoot = false
    while let token = try reader.next() {
      switch token {
      case .start(let name, let attributes, let isEmpty):
        let name = Self.local(name)
        if leftOut > 0 {
          if !isEmpty { leftOut += 1 }
        } else if open.isEmpty {
          guard !hasRoot, name == "svg" else { return false }
          hasRoot = true
          begin("svg", attributes, isEmpty)
        } else if let name = Self.kept(name, attributes) {
          guard open.count < Self.mostDepth else { return false }
          begin(name, attributes, isEmpty)
        } else if !isEmpty {
          leftOut = 1
        }
      case .end(let name):
        if leftOut > 0 {
          leftOut -= 1
        } else {
          // A link is written as a group.
          let name = Self.local(name)
          guard let last = open.popLast(), last == name || last == "g" && name == "a" else { return false }
          end(last)
        }
      case .text(let text):
        if leftOut > 0 || open.isEmpty { continue }
        if open.last == "style" { style += text } else { write(Self.escaped(text)) }
      }
    }
    return hasRoot && open.isEmpty && leftOut == 0
  }

  // MARK: Writing

  private mutating func begin(_ name: String, _ attributes: [(name: String, value: String)], _ isEmpty: Bool) {
    write("<\(name)")
    if open.isEmpty {
      write(" xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"")
    }
    for attribute in attributes where Self.isHarmless(attribute, of: name) {
      write(" \(attribute.name)=\"\(Self.escaped(attribute.value))\"")
    }
    write(isEmpty ? "/>" : ">")
    if !isEmpty { open.append(name) }
  }

  private mutating func end(_ name: String) {
    if name == "style" {
      if Self.isHarmless(style: style) { write(Self.escaped(style)) }
      style = ""
    }
    write("</\(name)>")
  }

  private mutating func write(_ text: String) { result += text.utf8 }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { "&<>\"".utf8.contains($0) }) else { return text }
    return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }

  // MARK: Rules

  /// The name without the prefix that some programs write before it.
  private static func local(_ name: String) -> String { name.hasPrefix("svg:") ? String(name.dropFirst(4)) : name }

  /// The name under which an element is written; nil for one that is left out with all that is in it.
  private static func kept(_ name: String, _ attributes: [(name: String, value: String)]) -> String? {
    if name == "a" { return "g" }
    if animations.contains(name) {
      // Whoever could change a link or an event could do what no attribute may.
      let target = attributes.first { $0.name == "attributeName" }?.value ?? ""
      return isHarmless((target, "#"), of: name) && target.lowercased() != "href" && !target.contains(":") ? name : nil
    }
    return elements.contains(name) ? name : nil
  }

  private static let animations: Set = ["animate", "animateMotion", "animateTransform", "mpath", "set"]

  private static let elements: Set = [
    "circle", "clipPath", "defs", "desc", "ellipse", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite",
    "feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood",
    "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge", "feMergeNode", "feMorphology",
    "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence", "filter", "g", "image",
    "line", "linearGradient", "marker", "mask", "path", "pattern", "polygon", "polyline", "radialGradient", "rect",
    "stop", "style", "svg", "switch", "symbol", "text", "textPath", "title", "tspan", "use", "view",
  ]

  private static func isHarmless(_ attribute: (name: String, value: String), of element: String) -> Bool {
    let name = attribute.name.lowercased()
    guard !name.hasPrefix("on"), !name.hasPrefix("xmlns"), name.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    switch name {
    case "href", "xlink:href":
      if attribute.value.hasPrefix("#") { return true }
      return ["image", "feImage"].contains(element) && isPicture(attribute.value)
    case "style": return isHarmless(style: attribute.value)
    case "xml:space", "xml:lang": return true
    case _ where name.contains(":"): return false
    default: return hasOnlyOwnReferences(attribute.value)
    }
  }

  /// True for a picture within the document; other documents could have anything in them.
  private static func isPicture(_ value: String) -> Bool {
    ["png", "jpeg", "gif", "webp"].contains { value.hasPrefix("data:image/\($0);base64,") }
      && value.utf8.allSatisfy { $0 > 0x1F && $0 < 0x7F || [9, 10, 13].contains($0) }
  }

  private static func isHarmless(style: String) -> Bool {
    // With escapes, any word could be written in other ways.
    !style.contains("\\") && !style.contains("@") && !style.contains("<") && hasOnlyOwnReferences(style)
      && !style.lowercased().contains("expression") && !style.lowercased().contains("javascript")
      && !style.lowercased().contains("image-set") && !style.lowercased().contains("src(")
  }

  /// True if nothing in a value leads out of the document.
  private static func hasOnlyOwnReferences(_ value: String) -> Bool {
    guard value.contains("(") else { return true }
    var rest = Substring(value.lowercased())
    while let found = rest.firstRange(of: "url(") {
      rest = rest[found.upperBound...]
      let target = rest.drop { " \t\n\r\"'".contains($0) }
      guard target.hasPrefix("#") else { return false }
    }
    return true
  }
}
