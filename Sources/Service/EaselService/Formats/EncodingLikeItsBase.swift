import EaselCore

/// A coder that reads in its own way, and recognizes formats and writes as the coders of a manager do.
protocol EncodingLikeItsBase: EncodingCoder {
  /// The coders of the manager.
  var base: CoderRegistry { get }
}

extension EncodingLikeItsBase {
  var formats: [ImageFormat] { base.formats }

  func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }

  func writesFrames(as format: ImageFormat) -> Bool { base.writesFrames(as: format) }

  func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    base.effectiveOptions(options, for: format)
  }

  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes {
    try base.encode(image, as: format, options: options, work: work)
  }
}
