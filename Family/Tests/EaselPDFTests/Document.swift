import Foundation

/// A document written by hand, object by object.
struct Document {
  /// The objects from number 1; the first is the catalog, and the second the list of pages.
  var objects: [String]

  /// One page with this content.
  static func page(
    _ content: String, size: String = "0 0 72 72", more: String = "", catalog: String = "", resources: String = "",
    _ others: [String] = []
  ) -> Document {
    Document(
      objects: [
        "<</Type/Catalog/Pages 2 0 R\(catalog)>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[\(size)]/Contents 4 0 R/Resources<<\(resources)>>\(more)>>",
        stream(content),
      ] + others)
  }

  static func stream(_ content: String, _ dictionary: String = "") -> String {
    "<</Length \(content.utf8.count)\(dictionary)>>stream\n\(content)\nendstream"
  }

  var data: Data {
    var text = "%PDF-1.6\n"
    var places: [Int] = []
    for (index, object) in objects.enumerated() {
      places.append(text.utf8.count)
      text += "\(index + 1) 0 obj\(object)\nendobj\n"
    }
    let start = text.utf8.count
    let lines = places.map { String(format: "%010d 00000 n \n", $0) }.joined()
    text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n\(lines)"
    return Data((text + "trailer<</Size \(objects.count + 1)/Root 1 0 R>>\nstartxref\n\(start)\n%%EOF\n").utf8)
  }
}
