import EaselCore

/// Refuses files that are known to be no pictures, after all other coders, with the program's own message.
///
/// Loads need this coder, because the program only sees the bytes of a load if they are a picture.
struct ForeignCoder: ImageCoder {
  let identifier = "foreign"
  let formats: [ImageFormat] = []

  func canDecode(prefix: [UInt8]) -> Bool { ForeignContent.name(of: prefix) != nil }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw try refusal(of: bytes) }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    throw try refusal(of: bytes)
  }

  private func refusal(of bytes: ImageBytes) throws -> ImageError {
    InputReader.refusal(of: ForeignContent.name(of: try bytes.prefix(CoderRegistry.sniffLength)) ?? "no picture")
  }

  /// The refusal in an error, which is more helpful than the message that no coder supports the bytes.
  static func refusal(in error: ImageError) -> ImageError? {
    guard error.code == .unsupportedFormat, error.causes.count == 1, let cause = error.causes[0] as? ImageError,
      cause.code == .unsupportedFormat, cause.message.hasPrefix(InputReader.beginningOfRefusals)
    else { return nil }
    return cause
  }
}
