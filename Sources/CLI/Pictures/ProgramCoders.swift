import EaselEverything
import EaselSVG

extension CoderRegistry {
  /// The coders of the program: all of them.
  ///
  /// SVG is drawn only in a sandbox.
  static let program = everything

  /// The same coders with the refusal in the place of SVG.
  static let programWithoutSVG = CoderRegistry([RefusedSVG()] + everything.removing(identifier: "svg").coders)
}

/// Knows SVG and refuses it, for a program that was told to use no sandbox.
struct RefusedSVG: FileNamingCoder {
  private let base = SVGCoder()

  var identifier: String { base.identifier }
  var formats: [ImageFormat] { base.formats }
  func fileExtensions(of format: ImageFormat) -> [String] { base.fileExtensions(of: format) }
  func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw refusal }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image { throw refusal }

  private var refusal: ImageError {
    ImageError(
      .decoderCrashed, "SVG is drawn only in a sandbox. Choose --sandbox risky or all, or leave the option out.")
  }
}
