import EaselCore
import Testing

/// A picture file that was harmed in one way.
struct WoundedFile: Sendable, CustomTestStringConvertible {
  /// What is left of the pixels.
  enum Remains: Hashable, Sendable {
    /// All of them.
    case all
    /// The upper rows, of which the last ones may differ by so many.
    case upperRows(blurred: Int)
    /// Something that is shown; which rows of it are right, the file does not say.
    case something
    /// Perhaps something, as far as the library of the format goes.
    case whatTheLibraryGives
  }

  let name: String
  let coder: any ImageCoder
  /// The file before it was harmed.
  let sound: [UInt8]
  let bytes: [UInt8]
  let remains: Remains
  /// False if the header says nothing of the wound, because only reading the pixels finds it.
  var isNotedInHeader = true

  var testDescription: String { name }

  /// The picture at this level; nil if it is refused.
  func decoded(_ damaged: DamagePolicy, by other: (any ImageCoder)? = nil) throws -> Image? {
    try Self.decoded(ImageBytes(bytes), damaged, by: other ?? coder)
  }

  static func decoded(_ bytes: ImageBytes, _ damaged: DamagePolicy, by coder: any ImageCoder) throws -> Image? {
    do {
      return try coder.decode(bytes, options: DecodeOptions(damaged: damaged), work: WorkContext())
    } catch let error as ImageError where error.code == .badImageData {
      return nil
    }
  }

  /// The picture of bytes that arrive in pieces of this length; a coder that cannot do that reads them as a whole.
  func decodedInPieces(of length: Int, _ damaged: DamagePolicy) throws -> Image? {
    let options = DecodeOptions(damaged: damaged)
    let decoder = try (coder as? any ProgressiveImageCoder)?.makeDecoder(
      prefix: Array(bytes.prefix(CoderRegistry.sniffLength)), options: options, work: WorkContext())
    guard let decoder else { return try decoded(damaged) }
    do {
      for end in stride(from: length, to: bytes.count, by: length) {
        try decoder.update(ImageBytes(Array(bytes[..<end])))
        _ = try decoder.preview()
      }
      return try decoder.finish(ImageBytes(bytes))
    } catch let error as ImageError where error.code == .badImageData {
      return nil
    }
  }
}
