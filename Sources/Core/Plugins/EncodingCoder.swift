/// A coder that also writes pictures.
public protocol EncodingCoder: ImageCoder {
  /// True when the coder can encode this format.
  func canEncode(_ format: ImageFormat) -> Bool

  /// Encodes a picture.
  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes

  /// True when files of this format can hold the frames of a moving picture.
  func writesFrames(as format: ImageFormat) -> Bool

  /// The options with every option that does not change the files of this format at one fixed value.
  ///
  /// Cache keys of encoded bytes are made of them, so that options without effect do not lead to a second file. A format
  /// in which the background colour has no effect is one that holds transparent pixels.
  func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions
}

extension EncodingCoder {
  /// Returns true for the formats that the coder decodes.
  public func canEncode(_ format: ImageFormat) -> Bool { formats.contains(format) }

  /// Returns true.
  public func writesFrames(as format: ImageFormat) -> Bool { true }

  /// Returns the options as they are.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions { options }
}
