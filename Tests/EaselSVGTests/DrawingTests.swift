import CEaselSVG
import EaselCore
import EaselPNG
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselSVG

struct DrawingTests {
  private typealias T = SVGTesting

  /// The left half is black.
  private let half = T.svg(
    "width='1000' height='500'", "<rect width='500' height='500'/><rect x='500' width='500' height='500' fill='red'/>")

  @Test func aThumbnailIsDrawnAndNotMadeSmaller() throws {
    let image = try T.decode(half) { $0.thumbnailSize = T.size(10, 10) }
    #expect(image.size == T.size(10, 5))
    for y in 0..<5 {
      for x in 0..<10 { #expect(image.bitmap.pixel(x: x, y: y) == (x < 5 ? .black : .pureRed), "\(x), \(y)") }
    }
  }

  @Test func aThumbnailOfAnotherRatioIsFilled() throws {
    let image = try T.decode(half) {
      $0.thumbnailSize = T.size(10, 100)
      $0.preservesAspectRatio = false
    }
    #expect(image.size == T.size(10, 100))
    #expect(image.bitmap.pixel(x: 4, y: 99) == .black)
    #expect(image.bitmap.pixel(x: 5, y: 0) == .pureRed)
  }

  @Test func theLeastSizeThatSufficesIsDrawn() throws {
    var options = DecodeOptions()
    options.leastSize = T.size(30, 10)
    let image = try T.coder.decode(ImageBytes(Array(half.utf8)), options: options, work: WorkContext())
    #expect(image.size == T.size(30, 15))
    #expect(image.bitmap.pixel(x: 14, y: 14) == .black)
    #expect(image.bitmap.pixel(x: 15, y: 0) == .pureRed)
  }

  @Test func alsoALargerSizeIsDrawnWhenItIsWanted() throws {
    var options = DecodeOptions()
    options.leastSize = T.size(1200, 601)
    let image = try T.coder.decode(ImageBytes(Array(half.utf8)), options: options, work: WorkContext())
    #expect(image.size == T.size(1200, 601) && image.metadata.storedSize != image.size && T.coder.drawsLarger(.svg))
    #expect(image.bitmap.pixel(x: 599, y: 600) == .black)
    #expect(image.bitmap.pixel(x: 600, y: 0) == .pureRed)
    options.leastSize = T.size(20_000, 10_000)
    #expect(throws: ImageError.self) {
      try T.coder.decode(ImageBytes(Array(half.utf8)), options: options, work: WorkContext())
    }
  }

  @Test func aDocumentWithoutViewBoxGrowsSmallerAsAWhole() throws {
    let text = T.svg("width='100' height='100'", "<rect x='90' y='90' width='10' height='10' fill='red'/>")
    let image = try T.decode(text) { $0.thumbnailSize = T.size(10, 10) }
    #expect(image.bitmap.pixel(x: 9, y: 9) == .pureRed)
    #expect(image.bitmap.pixel(x: 8, y: 9) == .clear)
  }

  @Test func alphaIsStraight() throws {
    let image = try T.decode(T.small("<rect width='5' height='10' fill='#c08040' opacity='.5'/>"))
    #expect(image.format == .svg)
    #expect(image.bitmap.format == PixelFormat(.rgba8, alpha: .straight))
    let color = try #require(image.bitmap.pixel(x: 2, y: 2))
    #expect(color.alpha == 128)
    for (component, expected) in [(color.red, 0xC0), (color.green, 0x80), (color.blue, 0x40)] {
      #expect(abs(Int(component) - expected) <= 1)
    }
    #expect(image.bitmap.pixel(x: 7, y: 2) == .clear)
  }

  @Test func picturesInDataURLsAreDrawn() throws {
    let picture = Image(try Bitmap(2, 2, .pureRed))
    let png = try PNGCoder().encode(picture, as: .png, options: EncodeOptions(), work: WorkContext()).data()
    let url = "data:image/png;base64,\(png.base64EncodedString())"
    let image = try T.decode(T.small("<image width='10' height='10' xlink:href='\(url)'/>"))
    #expect(image.bitmap.pixel(x: 5, y: 5) == .pureRed)
    let nested = "data:image/svg+xml;base64,\(Data(T.small(T.red).utf8).base64EncodedString())"
    let outer = try T.decode(T.small("<image width='10' height='10' href='\(nested)'/>"))
    #expect(outer.bitmap.pixel(x: 5, y: 5) == .pureRed)
  }

  @Test func textIsDrawn() throws {
    let image = try T.decode(T.svg("width='40' height='40'", "<text y='38' font-size='50'>M</text>"))
    let pixels = image.bitmap.pixels(in: PixelRect(x: 0, y: 0, width: 40, height: 40))
    #expect(pixels.contains { $0 == .black })
    #expect(pixels.contains { $0 == .clear })
  }

  @Test func filtersAreDrawn() throws {
    let text = T.small(
      "<filter id='f'><feFlood flood-color='red'/></filter><rect filter='url(#f)' width='9' height='9'/>")
    #expect(try T.decode(text).bitmap.pixel(x: 5, y: 5) == .pureRed)
  }

  @Test func otherEncodingsAreRead() throws {
    let latin = "<?xml version='1.0' encoding='ISO-8859-1'?>" + T.small("<!-- x -->\(T.red)")
    let bytes = Array(latin.utf8).map { $0 == UInt8(ascii: "x") ? 0xE4 : $0 }
    // Every x of the text is part of a name but the one in the comment.
    #expect(throws: ImageError.self) { try T.decode(bytes) }
    var comment = Array(latin.utf8)
    let place = try #require(comment.firstIndex { $0 == UInt8(ascii: "!") }) + 4
    comment[place] = 0xE4
    #expect(try T.decode(comment).bitmap.pixel(x: 5, y: 5) == .pureRed)
    #expect(try T.decode([0xFF, 0xFE] + T.small(T.red).utf16Bytes).bitmap.pixel(x: 5, y: 5) == .pureRed)
  }

  @Test func theHeaderSaysWhatIsKnown() throws {
    let header = try T.probe(half)
    #expect(header.format == .svg)
    #expect(header.hasAlpha)
    #expect(header.frameCount == 1)
    #expect(SVGCoder().formats == [.svg])
    #expect(SVGCoder().fileExtensions(of: .svg) == ["svg", "svgz"])
    #expect(SVGCoder().capability((any EncodingCoder).self) == nil)
  }

  @Test func theLibrariesTellTheirVersions() {
    #expect(String(cString: easel_svg_librsvg_version()).hasPrefix("2."))
    #expect(String(cString: easel_svg_cairo_version()).hasPrefix("1."))
  }
}
