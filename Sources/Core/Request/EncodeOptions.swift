/// The options for encoding a picture.
///
/// ```swift
/// let options = EncodeOptions(quality: 0.7, maxFileBytes: 100_000)
/// let file = try await manager.encode(image, as: .jpeg, options: options)
/// ```
public struct EncodeOptions: Hashable, Sendable {
  /// The resolution of colour compared to brightness in a JPEG or a lossy AVIF.
  public enum ChromaSubsampling: Hashable, Sendable {
    /// One colour value per pixel.
    case full
    /// One colour value for two pixels of a row.
    case halfWidth
    /// One colour value for four pixels.
    case quarter
  }

  /// The quality of lossy formats, 0 to 1.
  public var quality = 0.8
  /// True to encode without loss in formats that support it.
  public var lossless = false
  /// The box that the picture is scaled to fit; nil for its own size.
  public var maxPixelSize: PixelSize?
  /// The maximum number of bytes of the file.
  ///
  /// Quality and then size are reduced to reach it.
  public var maxFileBytes: Int?
  /// The colour behind transparent pixels in formats without alpha.
  public var backgroundColor = PixelColor.white
  /// True to write only the first frame of a moving picture.
  public var firstFrameOnly = false
  /// True to write a JPEG in several passes from coarse to fine.
  public var progressive = false
  /// The resolution of colour in a JPEG or a lossy AVIF.
  public var chromaSubsampling = ChromaSubsampling.quarter
  /// The compression level of a PNG, 0 to 9.
  public var compressionLevel = 6
  /// True when a PNG may use a palette for a picture with at most 256 colours.
  public var allowsPalette = false
  /// True to write EXIF and XMP.
  ///
  /// The colour profile is always written.
  public var keepsMetadata = false
  /// True to write the artist and the copyright of EXIF even without other metadata.
  public var keepsCopyright = false
  /// True to write the gain map of an Ultra HDR picture, in formats that can hold one, whatever happens to metadata.
  public var keepsGainMap = true
  /// Settings that only one coder knows.
  public var settings = EncodeSettings()

  /// Creates the default options.
  public init() {}

  /// Creates the default options with the given changes.
  ///
  /// ```swift
  /// let options = EncodeOptions(quality: 0.6, backgroundColor: .white, keepsCopyright: true)
  /// ```
  public init(
    quality: Double = 0.8, lossless: Bool = false, maxPixelSize: PixelSize? = nil, maxFileBytes: Int? = nil,
    backgroundColor: PixelColor = .white, firstFrameOnly: Bool = false, progressive: Bool = false,
    chromaSubsampling: ChromaSubsampling = .quarter, compressionLevel: Int = 6, allowsPalette: Bool = false,
    keepsMetadata: Bool = false, keepsCopyright: Bool = false, keepsGainMap: Bool = true
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
    self.keepsCopyright = keepsCopyright
    self.keepsGainMap = keepsGainMap
  }
}
