import Easel
import FoundationEssentials

/// The hashes and the colour that a page can show before the picture has arrived.
struct Placeholder {
  private let thumbHash: String
  private let blurHash: String
  private let dominant: Palette.Entry?

  /// The options for decoding the picture from which a placeholder is made.
  ///
  /// Placeholders are made from an even smaller picture, so more pixels or more care would change nothing.
  static func options(damaged: DamagePolicy) -> DecodeOptions {
    DecodeOptions(thumbnailSize: PixelSize(width: 400, height: 400), damaged: damaged, fidelity: .fast)
  }

  init(of image: Image, work: WorkContext) throws {
    thumbHash = Data(try ThumbHash(of: image, work: work).bytes).base64EncodedString()
    blurHash = try BlurHash(of: image, work: work).text
    dominant = try Palette.dominantColor(of: image, work: work)
  }

  var json: JSON {
    [
      "thumbHash": .string(thumbHash), "blurHash": .string(blurHash),
      "dominantColor": .optional(dominant.map { Self.text($0.color) }),
      "dominantShare": dominant.map { .number(($0.share * 1000).rounded() / 1000) } ?? .null,
    ]
  }

  /// One line for each placeholder, to be printed below the line of the picture.
  var text: String {
    let color = dominant.map { "\(Self.text($0.color)) on \(Int(($0.share * 100).rounded())) %" } ?? "none"
    return "\n  ThumbHash \(thumbHash)\n  BlurHash \(blurHash)\n  dominant colour \(color)"
  }

  private static func text(_ color: PixelColor) -> String {
    "#"
      + [color.red, color.green, color.blue].map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
  }
}
