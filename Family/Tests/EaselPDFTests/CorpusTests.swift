import EaselCore
import FamilyTesting
import Foundation
import Testing

/// Documents that other programs have made look as `pdftocairo` and `pdftoppm` draw them.
///
/// The first has poppler and cairo too, but neither a sandbox nor fonts in memory. The second draws in its own way.
@Suite(.serialized)
struct CorpusTests {
  private func expectSame(_ maker: Maker, _ name: String, pages: Int = 1, isTiled: Bool = false) throws {
    let bytes = try maker.data(name)
    let header = try pdf.header(bytes)
    #expect(header.frameCount == pages, "\(name)")
    let image = try pdf.image(bytes)
    for page in 0..<pages {
      let drawn = page == 0 ? image.bitmap : try #require(image.frames).frame(at: page)
      #expect(drawn.ink > 0.001, "\(name), page \(page + 1) is empty")
      let same = try reference(maker, "pdftocairo", name, page)
      #expect(drawn.size == same.size, "\(name)")
      #expect(drawn.difference(same) < 0.5, "\(name), page \(page + 1)")
      // Tiles and small masks are moved to whole pixels there.
      guard !isTiled else { continue }
      let other = try reference(maker, "pdftoppm", name, page)
      #expect(drawn.size == other.size, "\(name)")
      #expect(drawn.difference(other, over: 8) < 3, "\(name), page \(page + 1)")
    }
  }

  /// A page as another program draws it.
  private func reference(_ maker: Maker, _ program: String, _ name: String, _ page: Int) throws -> Bitmap {
    let number = "\(page + 1)"
    try maker.make(program, "-r", "150", "-cropbox", "-png", "-singlefile", "-f", number, name, "reference")
    return try pdf.image(try maker.data("reference.png")).bitmap
  }

  // MARK: cairo

  private static let drawings: [(String, String)] = [
    ("shapes", "<rect x='10' y='10' width='90' height='60' fill='teal'/><circle cx='120' cy='70' r='40' fill='#c33'/>"),
    ("strokes", "<path d='M9 9C90 9 9 99 190 90' stroke='navy' stroke-width='7' fill='none' stroke-dasharray='9 4'/>"),
    (
      "opacity",
      "<rect width='120' height='90' fill='red'/><rect x='50' y='30' width='120' height='60' fill='blue' opacity='.4'/>"
    ),
    (
      "linear",
      "<linearGradient id='g'><stop stop-color='red'/><stop offset='1' stop-color='blue'/></linearGradient><rect width='200' height='100' fill='url(#g)'/>"
    ),
    (
      "radial",
      "<radialGradient id='g'><stop stop-color='#fff'/><stop offset='1' stop-color='green' stop-opacity='.3'/></radialGradient><rect width='200' height='100' fill='url(#g)'/>"
    ),
    (
      "clip",
      "<clipPath id='c'><circle cx='90' cy='50' r='40'/></clipPath><rect width='200' height='100' fill='olive' clip-path='url(#c)'/>"
    ),
    (
      "mask",
      "<mask id='m'><rect width='200' height='100' fill='#888'/></mask><rect width='200' height='100' fill='purple' mask='url(#m)'/>"
    ),
    (
      "pattern",
      "<pattern id='p' width='20' height='20' patternUnits='userSpaceOnUse'><rect width='10' height='10' fill='#369'/></pattern><rect width='200' height='100' fill='url(#p)'/>"
    ),
    ("text", "<text x='10' y='40' font-size='24'>Hamburg 0123</text>"),
    ("serif", "<text x='10' y='60' font-size='30' font-family='serif' font-style='italic'>Quick fox</text>"),
    ("mono", "<text x='10' y='60' font-size='20' font-family='monospace' font-weight='bold'>if (a) b;</text>"),
    ("turned", "<g transform='rotate(20 100 50)'><text x='30' y='60' font-size='30'>Turned</text></g>"),
    ("greek", "<text x='10' y='60' font-size='30'>αβγδ ЖЩЯ</text>"),
    ("evenodd", "<path d='M20 10h160v80h-160zM50 30h100v40h-100z' fill-rule='evenodd' fill='#a52'/>"),
  ]

  @Test(arguments: drawings.map(\.0)) func cairo(_ name: String) throws {
    let body = try #require(Self.drawings.first { $0.0 == name }?.1)
    try Maker.with { maker in
      try maker.write("<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'>\(body)</svg>", "a.svg")
      try maker.make("rsvg-convert", "-f", "pdf", "-o", "a.pdf", "a.svg")
      try expectSame(maker, "a.pdf", isTiled: name == "pattern")
    }
  }

  // MARK: Ghostscript

  private static let programs: [(String, String)] = [
    ("fonts", "/Times-Roman findfont 30 scalefont setfont 20 60 moveto (Times fi ffl) show showpage"),
    (
      "outlines",
      "/Helvetica findfont 50 scalefont setfont 20 40 moveto (Ab) false charpath 2 setlinewidth stroke showpage"
    ),
    ("gray", "0 1 9 { dup 10 div setgray 20 mul 0 20 100 rectfill } for showpage"),
    ("cmyk", "1 0 0 0 setcmykcolor 0 0 60 99 rectfill 0 1 0 0 setcmykcolor 60 0 60 99 rectfill showpage"),
    (
      "shading",
      "<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 200 0]/Function<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1>>>> shfill showpage"
    ),
    ("image", "200 100 scale 4 2 8 [4 0 0 -2 0 2] {<00408090C0FF2060>} image showpage"),
    ("mask", "0 .5 0 setrgbcolor 200 100 scale 8 4 true [8 0 0 -4 0 4] {<AA55AA55>} imagemask showpage"),
    ("clip", "100 50 40 0 360 arc clip 1 0 0 setrgbcolor 0 0 200 100 rectfill showpage"),
    ("pages", "0 0 50 50 rectfill showpage 50 50 50 40 rectfill showpage 9 9 180 8 rectfill showpage"),
  ]

  @Test(arguments: programs.map(\.0)) func ghostscript(_ name: String) throws {
    let body = try #require(Self.programs.first { $0.0 == name }?.1)
    try Maker.with { maker in
      try maker.write("%!PS\n<</PageSize[200 100]>> setpagedevice\n\(body)\n", "a.ps")
      for version in ["1.3", "1.7"] {
        try maker.make(
          "gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-dCompatibilityLevel=\(version)",
          "-sOutputFile=a.pdf", "a.ps")
        try expectSame(maker, "a.pdf", pages: name == "pages" ? 3 : 1, isTiled: name == "mask")
      }
    }
  }

  @Test func theCropBoxOfGhostscript() throws {
    try Maker.with { maker in
      let mark = "[/CropBox [20 10 120 60] /PAGES pdfmark"
      try maker.write("%!PS\n<</PageSize[200 100]>> setpagedevice \(mark)\n0 0 99 40 rectfill showpage\n", "a.ps")
      try maker.make("gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-sOutputFile=a.pdf", "a.ps")
      try expectSame(maker, "a.pdf")
      #expect(try pdf.header(try maker.data("a.pdf")).storedSize == PixelSize(width: 209, height: 105))
    }
  }

  @Test(arguments: ["pdfimage24", "pdfimage8", "pdfimage32"]) func ghostscriptsPictures(_ device: String) throws {
    try Maker.with { maker in
      try maker.write(
        "%!PS\n<</PageSize[200 100]>> setpagedevice 1 .5 0 setrgbcolor 9 9 150 60 rectfill showpage", "a.ps")
      try maker.make(
        "gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=\(device)", "-r72", "-sOutputFile=a.pdf", "a.ps")
      try expectSame(maker, "a.pdf")
    }
  }

  // MARK: img2pdf, with pictures of ImageMagick

  @Test(arguments: [
    ["-colorspace", "RGB", "a.jpg"], ["-colorspace", "Gray", "a.jpg"], ["-colorspace", "CMYK", "a.jpg"],
    ["-interlace", "Plane", "a.jpg"], ["-depth", "8", "a.png"], ["-depth", "16", "a.png"], ["-colors", "9", "a.png"],
    ["-monochrome", "-compress", "group4", "a.tif"], ["a.gif"],
  ])
  func img2pdf(_ words: [String]) throws {
    try Maker.with { maker in
      let name = try #require(words.last)
      let outcome = try Maker.run(
        ["convert", "-size", "90x60", "gradient:orange-navy", "-density", "72", "-units", "PixelsPerInch"] + words,
        in: maker.folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      try maker.make("img2pdf", name, "-o", "a.pdf")
      try expectSame(maker, "a.pdf")
    }
  }

  // MARK: qpdf

  @Test(arguments: [
    ["--linearize"], ["--object-streams=generate"], ["--stream-data=uncompress"], ["--rotate=+90"], ["--rotate=+180"],
    ["--rotate=+270"], ["--qdf"], ["--encrypt", "", "owner", "40", "--"], ["--encrypt", "", "owner", "128", "--"],
    ["--encrypt", "", "owner", "128", "--use-aes=y", "--"], ["--encrypt", "", "owner", "256", "--"],
  ])
  func qpdf(_ options: [String]) throws {
    try Maker.with { maker in
      try Document.page(
        "BT /F 20 Tf 9 9 Td (qpdf) Tj ET 1 0 0 rg 9 40 40 20 re f", size: "0 0 90 70",
        resources: "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
      ).data.write(to: maker.folder.appendingPathComponent("plain.pdf"))
      let outcome = try Maker.run(
        ["qpdf", "--allow-weak-crypto"] + options + ["plain.pdf", "a.pdf"], in: maker.folder)
      #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
      try expectSame(maker, "a.pdf")
    }
  }

  @Test(arguments: ["40", "128", "256"]) func aPasswordIsNamedInTheError(_ bits: String) throws {
    try Maker.with { maker in
      try Document.page("0 0 9 9 re f").data.write(to: maker.folder.appendingPathComponent("plain.pdf"))
      // It ends with 3, because it warns of weak encryption.
      try maker.run("qpdf", "--allow-weak-crypto", "--encrypt", "user", "owner", bits, "--", "plain.pdf", "a.pdf")
      let error = pdf.error(try maker.data("a.pdf"))
      #expect(error?.code == .unsupportedFormat)
      #expect("\(error as Any)".contains("the file is encrypted, and opens only with a password"), "\(error as Any)")
    }
  }
}
