/// How a picture is to be written.
public struct EncodeOptions: Hashable, Sendable {
  /// How finely colour is kept beside brightness in a JPEG.
  public enum ChromaSubsampling: Hashable, Sendable {
    /// A colour for each pixel.
    case full
    /// A colour for two pixels of a row.
    case halfWidth
    /// A colour for four pixels.
    case quarter
  }

  /// The quality of lossy formats, 0 to 1.
  public var quality = 0.8
  /// Whether formats that can are written without loss.
  public var lossless = false
  /// The box that the picture is made to fit in, nil for its own size.
  public var maxPixelSize: PixelSize?
  /// The most bytes of the file; quality and then size are lowered to reach it.
  public var maxFileBytes: Int?
  /// The colour behind transparent pixels in formats without alpha.
  public var backgroundColor = PixelColor.white
  /// Whether only the first frame of a moving picture is written.
  public var firstFrameOnly = false
  /// Whether a JPEG is written in several passes from coarse to fine.
  public var progressive = false
  /// How finely a JPEG keeps colour.
  public var chromaSubsampling = ChromaSubsampling.quarter
  /// How hard a PNG is compressed, 0 to 9.
  public var compressionLevel = 6
  /// Whether a PNG may use a palette when the picture has at most 256 colours.
  public var allowsPalette = false
  /// Whether EXIF and XMP are written; the colour profile always follows the pixels.
  public var keepsMetadata = false

  /// Creates the default options.
  public init() {}

  /// Creates options that differ from the default ones in what is named.
  public init(
    quality: Double = 0.8, lossless: Bool = false, maxPixelSize: PixelSize? = nil, maxFileBytes: Int? = nil,
    backgroundColor: PixelColor = .white, firstFrameOnly: Bool = false, progressive: Bool = false,
    chromaSubsampling: ChromaSubsampling = .quarter, compressionLevel: Int = 6, allowsPalette: Bool = false,
    keepsMetadata: Bool = false
  ) {
    self.quality = quality
    self.lossless = lossless
    self.maxPixelSize = maxPixelSize
    self.maxFileBytes = maxFileBytes
    self.backgroundColor = backgroundColor
    self.firstFrameOnly = firstFrameOnly
    self.progressive = progressive
    self.chromaSubsampling = chromaSubsampling
    self.compressionLevel = compressionLevel
    self.allowsPalette = allowsPalette
    self.keepsMetadata = keepsMetadata
  }
}
