import CEaselFonts
import EaselCore
import EaselFormats

extension TextCoder: SandboxGuest {
  /// True, because texts and their markup are those of strangers.
  public var staysInSandbox: Bool { true }

  /// True, because the choice of fonts runs on threads.
  public var startsThreads: Bool { true }

  /// Opens the fonts of the system; throws if this fails.
  public func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes? {
    switch easel_fonts_prepare_for_lock_in(threadsEnd) {
    case EASEL_FONTS_READY: return ImageBytes(TextDocument(markup: "a<b>b</b>").bytes)
    case EASEL_FONTS_WITHOUT_TEXT: return nil
    default:
      throw ImageError(
        .decoderCrashed,
        "Text: the fonts of the system could not be opened. It may lack memory, or have too many files open.")
    }
  }

  /// Four bytes for each pixel that the limits allow, twice, and memory for fonts.
  public func memoryBytes(forFileOf byteCount: Int, limits: Limits) -> Int? {
    Self.memoryForFonts + 8 * min(limits.framePixels, Self.mostPixels)
  }

  /// The cap on the number of pixels, above any real limit, so that sums cannot overflow.
  private static let mostPixels = 1 << 40
  private static let memoryForFonts = 256 << 20
}
