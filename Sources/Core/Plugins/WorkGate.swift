/// Decides when costly work on a picture begins, so that a server can limit and order such work.
///
/// The manager asks once for work that many callers share, before it decodes and encodes a picture. The bytes of the
/// picture have arrived by then. A hit in a cache, bytes that are sent unchanged, and loads of pictures need no
/// permission.
public protocol WorkGate: Sendable {
  /// Waits until the work may begin, or throws if it must not.
  ///
  /// The task is cancelled when nobody wants the result any more. Errors reach the callers unchanged; an error with the
  /// code `overloaded` is not the fault of the picture. The manager calls the returned closure after the work, and
  /// tells it whether the work was finished.
  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void
}

/// The properties from which the cost of decoding, transforming and encoding a picture can be estimated.
public struct PixelWork: Hashable, Sendable {
  /// The header of the picture to be decoded.
  ///
  /// It is nil if the pixels are already decoded. It is also nil for a drawing whose header costs as much to read as
  /// the whole picture.
  public let header: ImageHeader?
  /// The size of the encoded picture, if the transformers tell it in advance.
  public let resultSize: PixelSize
  /// The number of frames that are encoded.
  public let frameCount: Int
  /// The format to encode.
  public let format: ImageFormat
  /// The options of the encoder.
  public let options: EncodeOptions
  /// The size in which the picture is decoded; nil if it is not known in advance.
  package var decodedSize: PixelSize?
  /// The processor time for decoding that the size of the picture does not explain.
  package var effort = Duration.zero
  /// The key of the encoded picture; all requests for the same bytes have the same key.
  package var result: CacheKey?
  /// The uptime of the manager's clock after which nobody waits for the result; nil if somebody waits without end.
  public var deadline: Duration?

  /// Describes a piece of work before it begins.
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

/// A transformer that can tell the size of its result from the size of the picture alone.
package protocol SizingTransformer: Transformer {
  /// The size of the result for a picture of this size.
  func resultSize(of size: PixelSize) -> PixelSize
}
