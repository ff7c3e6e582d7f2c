/// A document that makes the libraries load what most pages need: each of the fonts that files may leave out.
enum PDFSample {
  private static let fonts = [
    "Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique", "Times-Roman", "Times-Bold",
    "Times-Italic", "Times-BoldItalic", "Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique", "Symbol",
    "ZapfDingbats",
  ]

  static var text: String {
    let names = fonts.indices.map { "/F\($0) \($0 + 5) 0 R" }.joined(separator: " ")
    let words = fonts.indices.map { "/F\($0) 9 Tf (aZ1) Tj" }.joined(separator: " ")
    let drawing = "q 1 0 0 rg 5 5 30 20 re f Q BT 10 30 Td \(words) ET"
    var objects = [
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 80 60]/Contents 4 0 R/Resources<</Font<<\(names)>>>>>>",
      "<</Length \(drawing.utf8.count)>>stream\n\(drawing)\nendstream",
    ]
    objects += fonts.map { "<</Type/Font/Subtype/Type1/BaseFont/\($0)>>" }
    var text = "%PDF-1.4\n"
    var places: [Int] = []
    for (index, object) in objects.enumerated() {
      places.append(text.utf8.count)
      text += "\(index + 1) 0 obj\(object)endobj\n"
    }
    let start = text.utf8.count
    text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for place in places { text += String(repeating: "0", count: 10 - "\(place)".count) + "\(place) 00000 n \n" }
    return text + "trailer<</Size \(objects.count + 1)/Root 1 0 R>>\nstartxref\n\(start)\n%%EOF\n"
  }
}
