/// Decides when the costly work on a picture begins, so that a server can bound and order it.
///
/// The manager asks it once for work that many callers share, after the bytes of the picture have arrived and before
/// they are decoded to be encoded anew. A hit in a cache, bytes that pass through untouched, and loads of pictures need
/// no permission.
public protocol WorkGate: Sendable {
  /// Waits until the work may begin, or throws if it must not.
  ///
  /// The task is cancelled when nobody wants the result any more. Errors reach the callers unchanged; an error of the
  /// code `overloaded` says nothing about the picture. The returned closure is called when the work is over, and told
  /// if it ran to its end.
  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void
}

/// The facts from which the cost of decoding, transforming and encoding a picture can be estimated.
public struct PixelWork: Hashable, Sendable {
  /// The header of the picture to be decoded.
  ///
  /// It is nil if the pixels are there already, and for a drawing whose header costs as much to read as its picture.
  public let header: ImageHeader?
  /// The size of the encoded picture, as far as the transformers tell it in advance.
  public let resultSize: PixelSize
  /// The number of frames that are encoded.
  public let frameCount: Int
  /// The format to encode.
  public let format: ImageFormat
  /// The options of the encoder.
  public let options: EncodeOptions
  /// The size in which the picture is decoded; nil if that is not known before.
  package var decodedSize: PixelSize?
  /// The processor time for decoding, as far as the size of the picture does not tell it.
  package var effort = Duration.zero
  /// The key of the encoded picture; every request for the same bytes has it.
  package var result: CacheKey?
  /// The uptime of the manager's clock after which nobody waits for the result; nil if somebody waits without end.
  public var deadline: Duration?

  /// Tells what is known of a piece of work before it begins.
  public init(
    header: ImageHeader?, resultSize: PixelSize, frameCount: Int = 1, format: ImageFormat,
    options: EncodeOptions = EncodeOptions()
  ) {
    self.header = header
    self.resultSize = resultSize
    self.frameCount = frameCount
    self.format = format
    self.options = options
  }
}

/// A transformer that tells the size of its result from the size of the picture alone.
package protocol SizingTransformer: Transformer {
  /// The size of the result for a picture of this size.
  func resultSize(of size: PixelSize) -> PixelSize
}
