/// A coder that can work while the bytes arrive.
public protocol ProgressiveImageCoder: ImageCoder {
  /// Makes a decoder for one body, or nil when this body can only be decoded whole.
  func makeDecoder(prefix: [UInt8], options: DecodeOptions, work: WorkContext) throws -> (any ProgressiveDecoder)?
}
