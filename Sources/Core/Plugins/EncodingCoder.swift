/// A coder that also writes pictures.
public protocol EncodingCoder: ImageCoder {
  /// True when the coder can encode this format.
  func canEncode(_ format: ImageFormat) -> Bool

  /// Encodes a picture as a file of this format.
  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes

  /// True when files of this format can hold the frames of a moving picture.
  func writesFrames(as format: ImageFormat) -> Bool

  /// Sets every option that does not change files of this format to one fixed value.
  ///
  /// Cache keys of encoded bytes are made from the result, so that an option without effect does not lead to a second
  /// file. If the background colour has no effect, the format can hold transparent pixels.
  func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions
}

extension EncodingCoder {
  /// Returns true for the formats that the coder decodes.
  public func canEncode(_ format: ImageFormat) -> Bool { formats.contains(format) }

  /// Returns true.
  public func writesFrames(as format: ImageFormat) -> Bool { true }

  /// Returns the options unchanged.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions { options }
}
