import EaselCore
import FamilyTesting
import Foundation
import Testing

/// Documents that are made to do harm are drawn without it, or are one error each.
@Suite(.serialized)
struct HostileTests {
  private var hasty: Limits {
    var limits = Limits()
    limits.decodeTime = .seconds(3)
    limits.framePixels = 4_000_000
    return limits
  }

  private static let content = "1 0 0 rg 0 0 36 72 re f"
  private static let plain = Document.page(content).data

  @Test(arguments: [
    "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\);this.submitForm\\('http://127.0.0.1:1/'\\))>>",
    "/OpenAction<</S/Launch/F(/bin/sh)/Win<</F(cmd.exe)>>>>", "/OpenAction<</S/URI/URI(http://127.0.0.1:1/)>>",
    "/OpenAction<</S/GoToR/F(/etc/passwd)/D[0/Fit]>>", "/OpenAction<</S/SubmitForm/F(http://127.0.0.1:1/)>>",
    "/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(while\\(1\\);)>>]>>>>",
    "/AA<</WC<</S/JavaScript/JS(while\\(1\\);)>>/WP<</S/Launch/F(/bin/sh)>>>>",
  ])
  func actionsDoNothing(_ action: String) throws {
    let expected = try pdf.image(Self.plain)
    let image = try pdf.image(Document.page(Self.content, catalog: action).data)
    #expect(image.bitmap.difference(expected.bitmap) == 0)
    let page = try pdf.image(
      Document.page(Self.content, more: "/AA<</O\(action.drop { $0 != "<" })>>").data)
    #expect(page.bitmap.difference(expected.bitmap) == 0)
  }

  /// A picture whose bytes would be in another file: nothing of it is shown.
  @Test func otherFilesAreNotRead() throws {
    try Maker.with { maker in
      let secret = try maker.write(String(repeating: "\u{0}", count: 300), "secret")
      let content = "72 0 0 72 0 0 cm /I Do"
      let picture = Document.stream(
        "", "/Type/XObject/Subtype/Image/Width 10/Height 10/ColorSpace/DeviceRGB/BitsPerComponent 8/F(\(secret))")
      let document = Document.page(content, resources: "/XObject<</I 5 0 R>>", [picture]).data
      if let image = try? pdf.image(document, limits: hasty) { #expect(image.bitmap.ink < 0.02) }
    }
  }

  private static let traps: [(String, Data)] = [
    (
      "a list of pages in itself",
      Document(objects: ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R]/Count 1>>"]).data
    ),
    (
      "a page in itself",
      Document(objects: [
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Pages/Parent 3 0 R/Kids[3 0 R]/Count 9>>",
      ]).data
    ),
    (
      "a form in itself",
      Document.page(
        "/X Do", resources: "/XObject<</X 5 0 R>>",
        [
          Document.stream("/X Do /X Do", "/Type/XObject/Subtype/Form/BBox[0 0 72 72]/Resources<</XObject<</X 5 0 R>>>>")
        ]
      ).data
    ),
    (
      "a pattern in itself",
      Document.page(
        "/Pattern cs /P scn 0 0 72 72 re f", resources: "/Pattern<</P 5 0 R>>",
        [
          Document.stream(
            "/Pattern cs /P scn 0 0 9 9 re f",
            "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<</Pattern<</P 5 0 R>>>>"
          )
        ]
      ).data
    ),
    (
      "a mask in itself",
      Document.page(
        "/G gs 0 0 72 72 re f", resources: "/ExtGState<</G 5 0 R>>",
        [
          "<</SMask<</S/Luminosity/G 6 0 R>>>>",
          Document.stream(
            "/G gs 0 0 9 9 re f",
            "/Type/XObject/Subtype/Form/BBox[0 0 72 72]/Group<</S/Transparency/CS/DeviceGray>>/Resources<</ExtGState<</G 5 0 R>>>>"
          ),
        ]
      ).data
    ),
    (
      "a length that is itself",
      Data("%PDF-1.4\n1 0 obj<</Length 1 0 R>>stream\n\nendstream endobj\ntrailer<</Root 1 0 R>>".utf8)
    ),
    ("nested arrays", Document.page(String(repeating: "[", count: 200_000)).data),
    ("nested dictionaries", Document.page("", more: "/X" + String(repeating: "<</A", count: 100_000)).data),
    ("a million rectangles", Document.page(String(repeating: "0 0 72 72 re f ", count: 1_000_000)).data),
    ("saved states", Document.page(String(repeating: "q ", count: 2_000_000)).data),
    (
      "small tiles on a large area",
      Document.page(
        "/Pattern cs /P scn 0 0 900 900 re f", size: "0 0 900 900", resources: "/Pattern<</P 5 0 R>>",
        [
          Document.stream(
            "0 0 1 1 re f",
            "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 .001 .001]/XStep .001/YStep .001/Resources<<>>"
          )
        ]
      ).data
    ),
    (
      "a picture of a billion pixels",
      Document.page(
        "72 0 0 72 0 0 cm /I Do", resources: "/XObject<</I 5 0 R>>",
        [
          Document.stream(
            "a", "/Type/XObject/Subtype/Image/Width 40000/Height 40000/ColorSpace/DeviceRGB/BitsPerComponent 8")
        ]
      ).data
    ),
    ("a page without a size", Document.page("", size: "0 0 0 0").data),
    ("a page of numbers that are none", Document.page("", size: "0 0 nan inf").data),
    ("no pages", Document(objects: ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>"]).data),
    (
      "billions of pages",
      Document(objects: ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 2147483647>>"]).data
    ),
    ("a signature alone", Data("%PDF-".utf8)),
    (
      "tables that point at each other",
      Data("%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Prev 9>>\nstartxref\n9\n%%EOF".utf8)
    ),
  ]

  @Test(arguments: traps.map(\.0)) func aTrapIsAnErrorOrAPicture(_ name: String) throws {
    let trap = try #require(Self.traps.first { $0.0 == name }?.1)
    if let error = pdf.error(trap, limits: hasty) {
      #expect([.badImageData, .limitExceeded, .decoderCrashed, .unsupportedFormat].contains(error.code), "\(error)")
    }
    // The next document is drawn.
    #expect(try pdf.image(Self.plain, limits: hasty).bitmap.ink > 0.3)
  }

  /// A short form of what `EASEL_PDF_MUTATIONS=5000` does.
  @Test func changedBytesAreAnErrorOrAPicture() throws {
    let most = ProcessInfo.processInfo.environment["EASEL_PDF_MUTATIONS"].flatMap { Int($0) } ?? 60
    let seeds = try Self.seeds()
    var numbers = SplitMix(state: 50)
    var codes: [String: Int] = [:]
    for turn in 0..<most {
      var bytes = seeds[turn % seeds.count]
      for _ in 0..<(1 + Int(numbers.next() % 12)) {
        let place = Int(numbers.next() % UInt64(bytes.count))
        switch numbers.next() % 4 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: numbers.next())
        case 1: bytes[place] ^= 1 << (numbers.next() % 8)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int(numbers.next() % 20)))
        default:
          bytes.insert(contentsOf: bytes[max(0, place - 20)..<place], at: Int(numbers.next() % UInt64(bytes.count)))
        }
        if bytes.isEmpty { bytes = [37] }
      }
      let error = pdf.error(Data(bytes), limits: hasty)
      codes[error.map { $0.code.name } ?? "drawn", default: 0] += 1
    }
    print("PDF, \(most) changed documents: \(codes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    #expect(
      codes.keys.allSatisfy {
        ["drawn", "badImageData", "limitExceeded", "decoderCrashed", "unsupportedFormat"].contains($0)
      })
  }

  /// Documents of several writers, whose bytes are changed.
  private static func seeds() throws -> [[UInt8]] {
    try Maker.with { maker in
      try maker.write(
        "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='50'><text y='40' font-size='30' opacity='.5'>Ab</text></svg>",
        "a.svg")
      try maker.make("rsvg-convert", "-f", "pdf", "-o", "a.pdf", "a.svg")
      try maker.make("qpdf", "--object-streams=generate", "a.pdf", "b.pdf")
      try maker.make("qpdf", "--qdf", "a.pdf", "c.pdf")
      try maker.make("convert", "-size", "40x30", "plasma:red-blue", "d.jpg")
      try maker.make("img2pdf", "d.jpg", "-o", "d.pdf")
      return try ["a.pdf", "b.pdf", "c.pdf", "d.pdf"].map { Array(try maker.data($0)) } + [Array(plain)]
    }
  }
}

/// Numbers that are the same in every run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
