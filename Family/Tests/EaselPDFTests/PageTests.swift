import EaselCore
import FamilyTesting
import Foundation
import Testing

/// Sizes, pages, boxes and colours of documents written by hand.
@Suite(.serialized)
struct PageTests {
  private static let red = "1 0 0 rg 0 0 36 72 re f"

  private func pixel(_ image: Image, _ x: Int, _ y: Int) -> [UInt8] {
    image.bitmap.color(x, y)
  }

  @Test func aPageHas150PixelsToAnInch() throws {
    let document = Document.page(Self.red, size: "0 0 72 144").data
    let header = try pdf.header(document)
    #expect(header.format.mimeType == "application/pdf")
    #expect(header.storedSize == PixelSize(width: 150, height: 300))
    #expect(header.frameCount == 1 && !header.hasAlpha && header.storedDelays.isEmpty)
    let image = try pdf.image(document)
    #expect(image.size == header.storedSize && image.frames == nil)
    #expect(image.metadata.density == ImageMetadata.Density(horizontal: 150, vertical: 150))
    #expect(pixel(image, 20, 200) == [255, 0, 0] && pixel(image, 130, 200) == [255, 255, 255])
    #expect(image.bitmap.format.alpha == .opaque)
  }

  @Test func aThumbnailIsDrawnAtItsSize() throws {
    let document = Document.page(Self.red, size: "0 0 720 360").data
    let options = DecodeOptions(thumbnailSize: PixelSize(width: 100, height: 100))
    let image = try pdf.image(document, options)
    #expect(image.size == PixelSize(width: 100, height: 50) && image.traits.contains(.thumbnail))
    #expect(image.metadata.storedSize == PixelSize(width: 1500, height: 750))
  }

  @Test func theCropBoxAndTheTurnOfThePageCount() throws {
    let cropped = Document.page(Self.red, size: "0 0 720 720", more: "/CropBox[18 0 54 72]").data
    let image = try pdf.image(cropped)
    #expect(image.size == PixelSize(width: 75, height: 150))
    #expect(pixel(image, 10, 75) == [255, 0, 0] && pixel(image, 65, 75) == [255, 255, 255])
    let turned = try pdf.image(Document.page(Self.red, size: "0 0 72 144", more: "/Rotate 90").data)
    #expect(turned.size == PixelSize(width: 300, height: 150))
    #expect(pixel(turned, 200, 20) == [255, 0, 0] || pixel(turned, 50, 20) == [255, 0, 0])
  }

  @Test func transparencyIsPaintedOverWhitePaper() throws {
    let half = "/G gs 1 0 0 rg 0 0 72 72 re f"
    let document = Document.page(half, resources: "/ExtGState<</G<</ca 0.5>>>>").data
    let color = pixel(try pdf.image(document), 75, 75)
    #expect(color[0] == 255 && (126...129).contains(color[1]) && (126...129).contains(color[2]))
    let multiplied = "0 1 1 rg 0 0 72 72 re f /G gs 1 1 0 rg 0 0 72 72 re f"
    let blended = Document.page(multiplied, resources: "/ExtGState<</G<</BM/Multiply>>>>").data
    #expect(pixel(try pdf.image(blended), 75, 75) == [0, 255, 0])
  }

  /// Three pages; the second is wider than the first, and the third is taller.
  private static let pages: Data = {
    func page(_ size: String, _ content: Int) -> String {
      "<</Type/Page/Parent 2 0 R/MediaBox[\(size)]/Contents \(content) 0 R/Resources<<>>>>"
    }
    return Document(objects: [
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>", page("0 0 72 72", 6),
      page("0 0 144 72", 7), page("0 0 72 144", 8), Document.stream("1 0 0 rg 0 0 99 99 re f"),
      Document.stream("0 1 0 rg 0 0 999 999 re f"), Document.stream("0 0 1 rg 0 0 999 999 re f"),
    ]).data
  }()

  @Test func pagesAreFramesWithoutDuration() throws {
    #expect(try pdf.header(Self.pages).frameCount == 3)
    let image = try pdf.image(Self.pages)
    let frames = try #require(image.frames)
    #expect(frames.count == 3 && frames.canvasSize == image.size && frames.duration(at: 1) == .zero)
    let all = try (0..<3).map { Image(try frames.frame(at: $0)) }
    #expect(all.allSatisfy { $0.size == image.size })
    #expect(pixel(all[0], 75, 75) == [255, 0, 0] && pixel(all[0], 75, 2) == [255, 0, 0])
    #expect(pixel(all[1], 75, 75) == [0, 255, 0] && pixel(all[1], 75, 2) == [255, 255, 255])
    #expect(pixel(all[2], 75, 75) == [0, 0, 255] && pixel(all[2], 2, 75) == [255, 255, 255])
    // Any order is possible, also after the process that drew the first has ended.
    #expect(pixel(Image(try frames.frame(at: 0)), 75, 75) == [255, 0, 0])
    #expect(throws: ImageError.self) { try frames.frame(at: 3) }
    var first = DecodeOptions()
    first.firstFrameOnly = true
    #expect(try pdf.image(Self.pages, first).frames == nil)
  }

  @Test func limitsBindPagesAndPixels() throws {
    var limits = Limits()
    limits.framePixels = 10_000
    let large = Document.page("", size: "0 0 720 720").data
    let error = pdf.error(large, limits: limits)
    #expect(error?.code == .limitExceeded && error?.message.contains("1500x1500") == true, "\(error as Any)")
    #expect(pdf.error(Document.page("", size: "0 0 1000000000 1000000000").data)?.code == .limitExceeded)
    limits = Limits()
    limits.frames = 2
    #expect(pdf.error(Self.pages, limits: limits)?.code == .limitExceeded)
    limits = Limits()
    limits.totalPixels = 150 * 150 * 2
    #expect(pdf.error(Self.pages, limits: limits)?.code == .limitExceeded)
  }

  @Test(arguments: ["Helvetica", "Times-Bold", "Courier", "Symbol", "ZapfDingbats", "NoSuchFont"])
  func fontsThatAreNotInTheFileAreThoseOfTheSystem(_ font: String) throws {
    let text = "BT /F 40 Tf 10 20 Td (abc) Tj ET"
    let document = Document.page(
      text, size: "0 0 144 72", resources: "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/\(font)>>>>"
    ).data
    #expect(try pdf.image(document).bitmap.ink > 0.03)
  }

  /// The table of characters for this encoding is a file of the system.
  @Test func chineseIsReadByTheTablesOfTheSystem() throws {
    guard FileManager.default.fileExists(atPath: "/usr/share/poppler/cMap/Adobe-GB1") else { return }
    let font = """
      /Font<</F<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/GBK-EUC-H/DescendantFonts[<</Type/Font
      /Subtype/CIDFontType2/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>
      /FontDescriptor<</Type/FontDescriptor/FontName/Song/Flags 4>>>>]>>>>
      """
    let document = Document.page("BT /F 40 Tf 10 20 Td <D6D0B9FA> Tj ET", size: "0 0 144 72", resources: font).data
    try Maker.with { maker in
      try document.write(to: maker.folder.appendingPathComponent("a.pdf"))
      try maker.make("pdftocairo", "-r", "150", "-png", "-singlefile", "a.pdf", "reference")
      let (drawn, reference) = (try pdf.image(document), try pdf.image(try maker.data("reference.png")))
      #expect(drawn.bitmap.difference(reference.bitmap) < 0.5 && drawn.bitmap.ink > 0.01)
    }
  }
}
