import EaselCore
import EaselFormats

/// A coder of which this process has only the card: it recognizes files, and a helper decodes them.
struct HelperCoder: CardCarryingCoder, DrawingCoder, FileNamingCoder, SandboxGuest {
  let card: HelperCard

  var identifier: String { card.coder }

  var formats: [ImageFormat] { card.formats }

  var cards: [FormatCard] {
    card.formatsAndExtensions.map { format in
      FormatCard(
        format.format, format.extensions[0], extensions: format.extensions,
        cost: FormatCost(
          decoding: card.nanosecondsPerPixel, decoderBytes: (card.bytesPerPixel, max(0, card.bytesPerPixel - 4)),
          fixedBytes: 16e6))
    }
  }

  func canDecode(prefix: [UInt8]) -> Bool { card.signatures.contains { $0.matches(prefix) } }

  func fileExtensions(of format: ImageFormat) -> [String] {
    card.formatsAndExtensions.first { $0.format == format }?.extensions ?? []
  }

  func drawsLarger(_ format: ImageFormat) -> Bool { card.isDrawing }

  var startsThreads: Bool { card.startsThreads }

  /// True, because no decoder is in this process.
  var staysInSandbox: Bool { true }

  func memoryBytes(forFileOf byteCount: Int, limits: Limits) -> Int? {
    // A cap above any real limit, so that sums cannot overflow.
    let pixels = min(limits.framePixels, 1 << 40), file = min(byteCount, 1 << 40)
    return card.memory << 20 + 4 * file + Int(card.bytesPerPixel) * pixels
  }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw elsewhere }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image { throw elsewhere }

  private var elsewhere: ImageError {
    ImageError(.decoderCrashed, "The coder \(identifier) is in the helper \(card.program), and decodes only there.")
  }
}
