import EaselCore
import EaselFormats
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselText

/// Texts as files, which the server makes.
struct CoderTests {
  private let coder = TextCoder()

  private func file(_ markup: String) -> ImageBytes { ImageBytes(TextDocument(markup: markup).bytes) }

  @Test func aFileIsReadAsItIsWritten() throws {
    for markup in ["", "a", "<b>\u{e4}</b>\n", String(repeating: "a", count: TextDocument.mostBytes)] {
      #expect(TextDocument(TextDocument(markup: markup).bytes)?.markup == markup)
    }
    #expect(TextDocument(TextDocument(markup: String(repeating: "a", count: TextDocument.mostBytes + 1)).bytes) == nil)
    #expect(TextDocument([]) == nil && TextDocument(Array("text".utf8)) == nil)
    #expect(TextDocument(TextDocument(markup: "a").bytes + [0xFF]) == nil)
  }

  @Test func onlySuchFilesAreRecognized() {
    #expect(coder.canDecode(prefix: TextDocument(markup: "a").bytes) && !coder.canDecode(prefix: []))
    #expect(!coder.canDecode(prefix: Array("easel text\n".utf8)) && !coder.canDecode(prefix: [1, 2, 3]))
  }

  @Test func theHeaderSaysWhatIsDrawn() throws {
    let (work, bytes) = (WorkContext(), file("<b>Hill</b> and"))
    let header = try coder.probe(bytes, work: work)
    let image = try coder.decode(bytes, options: DecodeOptions(), work: work)
    #expect(header.storedSize == image.size && header.hasAlpha && header.format == TextDocument.format)
    #expect(image.format == TextDocument.format && image.bitmap.format == .rgba8)
    let letters = try TextDrawing(text: "<b>Hill</b> and", isMarkup: true, style: TextCoder.style).bitmap(work: work)
    #expect(image.bitmap == letters)
  }

  @Test func aThumbnailIsSmaller() throws {
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 20, height: 20)
    let image = try coder.decode(file("Hill and more"), options: options, work: WorkContext())
    #expect(image.size.width == 20 && image.size.height < 20 && image.traits == .thumbnail)
    #expect(image.metadata.storedSize.width > 60)
  }

  @Test func lettersAreBlackAndHaveSixteenPoints() throws {
    let bitmap = try coder.decode(file("H"), options: DecodeOptions(), work: WorkContext()).bitmap
    #expect(bitmap.bounds { $0[3] == 255 && $0[0] == 0 } != nil && bitmap.bounds { $0[0] > 10 && $0[3] > 200 } == nil)
    // A line of 21.3 pixels has a little more.
    #expect((22...32).contains(bitmap.height))
  }

  @Test func whatIsNoTextIsOneError() {
    let mark = TextDocument(markup: "").bytes
    for bytes in [mark + [0xFF], mark + Array(repeating: 97, count: 5000), mark + Array("<b>".utf8), [1, 2]] {
      let error = #expect(throws: ImageError.self) {
        try coder.decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext())
      }
      #expect(error?.code == .badImageData)
    }
  }

  @Test func theSandboxKnowsWhatItNeeds() throws {
    let least = try #require(coder.memoryBytes(forFileOf: 10, limits: Limits(framePixels: 1)))
    let more = try #require(coder.memoryBytes(forFileOf: 10, limits: Limits(framePixels: 1_000_000)))
    #expect(coder.staysInSandbox && coder.startsThreads && more - least == 8 * 999_999)
    #expect(coder.memoryBytes(forFileOf: .max, limits: Limits(framePixels: .max)) ?? 0 > 1 << 40)
  }
}
