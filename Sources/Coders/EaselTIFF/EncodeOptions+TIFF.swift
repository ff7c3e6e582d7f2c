import EaselCore

/// The lossless compression of a written TIFF.
public enum TIFFCompression: String, Hashable, Sendable, CaseIterable, LosslessStringConvertible {
  /// Deflate, which gives the smallest files; the default.
  case deflate
  /// LZW, which even the oldest readers know.
  case lzw
  /// No compression.
  case none

  /// Creates the compression with this name.
  public init?(_ description: String) { self.init(rawValue: description) }

  /// The name of the compression.
  public var description: String { rawValue }
}

extension EncodeOptions.Setting<TIFFCompression> {
  /// The compression of a written TIFF; the default is deflate.
  public static var tiffCompression: EncodeOptions.Setting<TIFFCompression> {
    EncodeOptions.Setting("tiff-compression")
  }
}

extension EncodeOptions.Setting<Bool> {
  /// Whether a compressed TIFF holds the differences of neighbours, which are mostly smaller; the default is true.
  public static var tiffPredictor: EncodeOptions.Setting<Bool> { EncodeOptions.Setting("tiff-predictor") }
}
