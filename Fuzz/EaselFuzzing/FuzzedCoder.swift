import EaselCore
import EaselEverything
import EaselFormats

/// Drives a coder with bytes that may be anything: at once, in pieces, frame by frame.
///
/// It traps where a coder breaks its word; errors are what it is expected to throw.
public struct FuzzedCoder: Sendable {
  private let coder: any ImageCoder
  /// True when what it writes reads as the same pixels.
  private let isLossless: Bool
  /// The most pixels of a picture.
  private let mostPixels: Int
  /// A file of the format, where it is not written.
  public let sample: [UInt8]?

  /// Formats whose pixels take longest.
  ///
  /// Drawings of filters take a time for each pixel that no other format takes. Under a sanitizer a megapixel of JPEG XL
  /// takes seconds.
  private static let slowFormats: Set = ["jxl", "svg"]

  /// The coders of all formats, by the name on the card of the format.
  public static let all: [String: FuzzedCoder] = {
    let coders = CoderRegistry.everything.coders
    let named = coders.flatMap { coder in FormatCards.cards(of: coder).map { ($0.name, FuzzedCoder(coder, $0)) } }
    return Dictionary(uniqueKeysWithValues: named)
  }()

  private init(_ coder: any ImageCoder, _ card: FormatCard) {
    (self.coder, isLossless, sample) = (coder, card.isLossless, card.sample)
    mostPixels = 1 << (Self.slowFormats.contains(card.name) ? 16 : 20)
  }

  /// Tries one input; its last byte chooses the options.
  public func run(_ input: UnsafeRawBufferPointer) {
    var bytes = [UInt8](input)
    let choice = bytes.popLast() ?? 0
    var limits = Limits()
    limits.framePixels = mostPixels
    limits.totalPixels = 1 << 22
    limits.metadataBytes = 1 << 20
    // The fuzzer has a time limit of its own. On a busy machine this one would end only one of two equal decodes.
    limits.decodeTime = .seconds(3600)
    let work = WorkContext(limits: limits)
    let options = options(choice)
    let whole = ImageBytes(bytes)
    let header = try? coder.probe(whole, work: work)
    let size = try? coder.usualSize(of: whole, work: work)
    if let header { precondition(size == header.storedSize, "The size alone is another than in the header.") }
    let image = try? coder.decode(whole, options: options, work: work)
    if let frames = image?.frames { play(frames) }
    countMetadata(of: bytes, image, work: work)
    if let progressive = coder as? any ProgressiveImageCoder {
      let length = [1, 7, 64, 4096][Int(choice >> 6)]
      let pieces = inPieces(bytes, of: length, by: progressive, options: options, work: work)
      precondition(image?.bitmap == pieces?.bitmap, "In pieces it is another picture.")
      precondition(image?.traits == pieces?.traits, "In pieces it is another kind of picture.")
    }
    if let image, choice & 1 != 0 { writeAndRead(image, work: work) }
  }

  private func countMetadata(of bytes: [UInt8], _ image: Image?, work: WorkContext) {
    guard let count = metadataBytes(of: ImageBytes(bytes), work) else { return }
    precondition((0...bytes.count).contains(count), "There are more metadata than bytes.")
    let longer = metadataBytes(of: ImageBytes(bytes + [0xFF, 0xD9, 0x3B]), work)
    precondition(longer == count + 3, "Bytes after the end are overlooked.")
    guard count == 0 else { return }
    if let header = try? coder.probe(ImageBytes(bytes), work: work) {
      precondition(header.exifBytes == 0 && header.orientation == .up, "EXIF or an orientation is overlooked.")
    }
    precondition(image?.metadata.exif == nil && image?.metadata.xmp == nil, "EXIF or XMP is overlooked.")
  }

  private func metadataBytes(of bytes: ImageBytes, _ work: WorkContext) -> Int? {
    (try? coder.capability((any MetadataCountingCoder).self)?.metadataBytes(of: bytes, work: work)) ?? nil
  }

  private func options(_ choice: UInt8) -> DecodeOptions {
    var options = DecodeOptions()
    options.keeps16Bits = choice & 2 != 0
    options.damaged = choice & 4 != 0 ? .show : .whole
    options.convertsColor = choice & 8 == 0
    options.appliesOrientation = choice & 16 == 0
    if choice & 32 != 0 { options.thumbnailSize = PixelSize(width: 9, height: 5) }
    return options
  }

  private func play(_ frames: any FrameSource) {
    for index in 0..<min(frames.count, 8) {
      if let frame = try? frames.frame(at: index) { precondition(frame.size == frames.canvasSize) }
      // Pages have none.
      let duration = frames.duration(at: index)
      precondition(duration == .zero || duration >= .milliseconds(11))
    }
    _ = try? frames.frame(at: frames.count - 1)
    _ = try? frames.frame(at: 0)
  }

  private func inPieces(
    _ bytes: [UInt8], of length: Int, by coder: any ProgressiveImageCoder, options: DecodeOptions, work: WorkContext
  ) -> Image? {
    guard
      let decoder = try? coder.makeDecoder(
        prefix: Array(bytes.prefix(CoderRegistry.sniffLength)), options: options, work: work)
    else {
      return nil
    }
    // Of a long input the pieces grow, or it would take for ever.
    let step = max(length, bytes.count / 256)
    var previewedPixels = 0
    for (index, end) in stride(from: step, to: bytes.count, by: step).enumerated() {
      guard (try? decoder.update(ImageBytes(Array(bytes[..<end])))) != nil else { return nil }
      // Under a sanitizer hundreds of previews of one column of 65,535 pixels take ten seconds and more, and so do
      // twenty of a JPEG XL of 145 bytes that states a megapixel.
      guard index % 8 == 0, previewedPixels < 1 << 21 else { continue }
      previewedPixels += (try? decoder.preview())?.size.area ?? 0
    }
    return try? decoder.finish(ImageBytes(bytes))
  }

  private func writeAndRead(_ image: Image, work: WorkContext) {
    guard let encoder = coder.capability((any EncodingCoder).self), image.size.area < 1 << 14,
      let format = coder.formats.first
    else { return }
    var still = image
    still.frames = nil
    var options = EncodeOptions()
    options.keepsMetadata = true
    options.allowsPalette = true
    options.lossless = true
    var reading = DecodeOptions()
    // Some coders read eight bits of a high range as sixteen.
    reading.keeps16Bits = still.bitmap.format.layout == .rgba16
    reading.convertsColor = false
    reading.appliesOrientation = false
    guard let bytes = try? encoder.encode(still, as: format, options: options, work: work) else { return }
    let again = try? coder.decode(bytes, options: reading, work: work)
    precondition(again?.size == still.size, "What was written has another size.")
    if isLossless { precondition(again?.bitmap == still.bitmap, "What was written reads as another picture.") }
    precondition(again?.metadata.orientation == still.metadata.orientation)
    writeWithoutMetadata(still, as: format, by: encoder, work: work)
  }

  private func writeWithoutMetadata(
    _ image: Image, as format: ImageFormat, by encoder: any EncodingCoder, work: WorkContext
  ) {
    var upright = image
    upright.metadata.orientation = .up
    guard let bytes = try? encoder.encode(upright, as: format, options: EncodeOptions(), work: work) else { return }
    precondition(metadataBytes(of: bytes, work) == 0, "What was written without metadata has some.")
  }
}

/// Tries one input on the coder of the format with this name, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_coder")
public func fuzzCoder(_ format: UnsafePointer<CChar>, _ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard let coder = FuzzedCoder.all[String(cString: format)] else { fatalError("No coder has a card of that name.") }
  coder.run(UnsafeRawBufferPointer(start: start, count: count))
}
