/// A coder that can decode a body while the bytes arrive.
public protocol ProgressiveImageCoder: ImageCoder {
  /// Makes a decoder for one body; returns nil when this body can only be decoded as a whole.
  func makeDecoder(prefix: [UInt8], options: DecodeOptions, work: WorkContext) throws -> (any ProgressiveDecoder)?
}

/// Decodes one body while its bytes arrive.
///
/// Its calls never overlap, but they may come from any thread.
public protocol ProgressiveDecoder: Sendable {
  /// Takes all bytes that have arrived so far.
  ///
  /// They begin with the bytes of the previous call.
  func update(_ bytes: ImageBytes) throws

  /// The part of the picture that is decoded so far; nil when it shows nothing, or nothing new.
  func preview() throws -> Image?

  /// Decodes the whole picture.
  ///
  /// Every pixel must equal the result of decoding the whole body at once.
  func finish(_ bytes: ImageBytes) throws -> Image
}
