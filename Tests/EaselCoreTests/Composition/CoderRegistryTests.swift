import EaselCore
import EaselTestSupport
import Testing

struct CoderRegistryTests {
  private let first = ToyCoder(identifier: "first")
  private let second = ToyCoder(identifier: "second")
  private let picture = ToyImage(width: 3, height: 2)
  private let work = WorkContext()

  private var both: CoderRegistry { CoderRegistry([first]).adding(second) }

  private var unsupported: ImageBytes {
    var picture = picture
    picture.isUnsupportedVariant = true
    return picture.imageBytes
  }

  @Test func theLastAddedDecodes() throws {
    let image = try both.decode(picture.imageBytes, options: DecodeOptions(), work: work)
    #expect(image.bitmap == (try picture.expectedBitmap()))
    #expect(second.counts.decodes == 1)
    #expect(first.counts.decodes == 0)
  }

  @Test func fileExtensionsAreThoseOfTheLastAdded() {
    let format = ToyImage.format
    #expect(both.fileExtensions(of: format) == second.usualExtensions(of: format))
    #expect(both.fileExtensions(of: format) == ["x-easel-toy"])
    #expect(both.fileExtensions(of: .png) == [])
    #expect(first.usualExtensions(of: ImageFormat(mimeType: "image/svg+xml")) == ["svg"])
  }

  @Test func theLastAddedReadsTheHeaderAndEncodes() throws {
    #expect(try both.probe(picture.imageBytes, work: work).storedSize == picture.size)
    let image = Image(try picture.expectedBitmap())
    _ = try both.encode(image, as: ToyImage.format, options: EncodeOptions(), work: work)
    #expect(second.counts.probes == 1)
    #expect(second.counts.encodes == 1)
    #expect(first.counts == ToyCoder.Counts())
  }

  @Test func anUnsupportedVariantPassesToTheNextCoder() throws {
    let able = AbleCoder()
    let registry = CoderRegistry([able, first])
    let image = try registry.decode(unsupported, options: DecodeOptions(), work: work)
    #expect(image.size == PixelSize(width: 1, height: 1))
    #expect(first.counts.decodes == 1)
    #expect(try registry.probe(unsupported, work: work).storedSize == PixelSize(width: 1, height: 1))
  }

  @Test func theSizeIsReadByTheCoderThatSupportsTheVariant() throws {
    #expect(try both.storedSize(of: picture.imageBytes, work: work) == picture.size)
    #expect(second.counts.probes == 1)
    let registry = CoderRegistry([AbleCoder(), first])
    #expect(try registry.storedSize(of: unsupported, work: work) == PixelSize(width: 1, height: 1))
    #expect(throws: ImageError.self) { try registry.storedSize(of: ImageBytes([1, 2, 3]), work: work) }
  }

  @Test func whenNoCoderSupportsTheVariantEveryCauseIsKept() throws {
    let error = #expect(throws: ImageError.self) {
      try both.decode(unsupported, options: DecodeOptions(), work: work)
    }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.causes.count == 2)
    #expect(error?.causes.allSatisfy { ($0 as? ImageError)?.code == .unsupportedFormat } == true)
  }

  @Test func damagedBytesDoNotPassToTheNextCoder() throws {
    let cut = ImageBytes(Array(picture.bytes.dropLast()))
    let error = #expect(throws: ImageError.self) { try both.decode(cut, options: DecodeOptions(), work: work) }
    #expect(error?.code == .badImageData)
    #expect(first.counts.decodes == 0)
  }

  @Test func aSignatureThatNobodyKnowsIsUnsupported() throws {
    let error = #expect(throws: ImageError.self) {
      try both.decode(ImageBytes(Array("something else".utf8)), options: DecodeOptions(), work: work)
    }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message.contains("0x736f6d657468696e") == true)
    #expect(second.counts.decodes == 0)
  }

  @Test func noBytesAreBadImageData() throws {
    let error = #expect(throws: ImageError.self) {
      try both.decode(ImageBytes([]), options: DecodeOptions(), work: work)
    }
    #expect(error?.code == .badImageData)
  }

  @Test func anEmptyRegistryKnowsNothing() throws {
    let empty = CoderRegistry()
    #expect(empty.formats.isEmpty)
    #expect(!empty.canDecode(prefix: picture.bytes))
    #expect(!empty.canEncode(ToyImage.format))
    let decoding = #expect(throws: ImageError.self) {
      try empty.decode(picture.imageBytes, options: DecodeOptions(), work: work)
    }
    #expect(decoding?.code == .unsupportedFormat)
    let image = Image(try picture.expectedBitmap())
    let encoding = #expect(throws: ImageError.self) {
      try empty.encode(image, as: .png, options: EncodeOptions(), work: work)
    }
    #expect(encoding?.code == .encodeFailed)
    #expect(try empty.makeDecoder(prefix: picture.bytes, options: DecodeOptions(), work: work) == nil)
  }

  @Test func addingAndRemovingMakeAnotherRegistry() {
    let registry = CoderRegistry([first])
    let more = registry.adding(second)
    #expect(registry.coders.map(\.identifier) == ["first"])
    #expect(more.coders.map(\.identifier) == ["first", "second"])
    #expect(more.removing(identifier: "first").coders.map(\.identifier) == ["second"])
  }

  @Test func codersAreFoundByFormatTheLastAddedFirst() {
    let registry = both.adding(AbleCoder())
    #expect(registry.coder(decoding: ToyImage.format)?.identifier == "able")
    #expect(registry.coder(encoding: ToyImage.format)?.identifier == "second")
    #expect(registry.coder(decoding: .png) == nil)
    #expect(registry.formats == [ToyImage.format])
  }

  @Test func aDecoderComesFromTheCoderThatKnowsTheSignature() throws {
    let decoder = try both.makeDecoder(prefix: picture.bytes, options: DecodeOptions(), work: work)
    #expect(decoder != nil)
    #expect(second.counts.decoders == 1)
    let registry = both.adding(AbleCoder())
    #expect(try registry.makeDecoder(prefix: picture.bytes, options: DecodeOptions(), work: work) == nil)
    #expect(try both.makeDecoder(prefix: [0], options: DecodeOptions(), work: work) == nil)
  }

  /// Accepts the toy format's signature and makes one pixel of any bytes that follow.
  private struct AbleCoder: ImageCoder {
    var identifier: String { "able" }
    var formats: [ImageFormat] { [ToyImage.format] }

    func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Array("EASELTOY".utf8)) }

    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
      ImageHeader(format: ToyImage.format, storedSize: PixelSize(width: 1, height: 1))
    }

    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      Image(try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba8))
    }
  }
}
