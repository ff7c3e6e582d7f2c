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

  /// The options that a caller set; nil stands for the default.
  package var asked = Asked()

  /// The quality of lossy formats, 0 to 1.
  ///
  /// Once it is set, every file is encoded with it. Until then the quality is ``defaultQuality``, and an original that
  /// already has the right format and size may be sent unchanged.
  public var quality: Double {
    get { asked.quality ?? defaultQuality }
    set { asked.quality = newValue }
  }
  /// The quality of lossy formats while ``quality`` is not set, 0 to 1.
  public var defaultQuality = 0.8
  /// True to encode without loss in formats that support it.
  public var lossless: Bool {
    get { asked.lossless ?? false }
    set { asked.lossless = newValue }
  }
  /// The box that the picture is scaled to fit; nil for its own size.
  public var maxPixelSize: PixelSize?
  /// The maximum number of bytes of the file.
  ///
  /// To reach it, the encoder reduces first the quality and then the size.
  public var maxFileBytes: Int?
  /// The colour behind transparent pixels in formats without alpha.
  public var backgroundColor = PixelColor.white
  /// True to write only the first frame of a moving picture.
  public var firstFrameOnly = false
  /// True to write a JPEG in several passes from coarse to fine.
  public var progressive: Bool {
    get { asked.progressive ?? false }
    set { asked.progressive = newValue }
  }
  /// The resolution of colour in a JPEG or a lossy AVIF.
  ///
  /// Until it is set, a JPEG with fine colours may be written with all of them.
  public var chromaSubsampling: ChromaSubsampling {
    get { asked.chromaSubsampling ?? .quarter }
    set { asked.chromaSubsampling = newValue }
  }
  /// The compression level of a PNG, 0 to 9.
  public var compressionLevel: Int {
    get { asked.compressionLevel ?? 6 }
    set { asked.compressionLevel = newValue }
  }
  /// True when a PNG may use a palette for a picture with at most 256 colours.
  public var allowsPalette = false
  /// True to write EXIF and XMP.
  ///
  /// The colour profile is always written.
  public var keepsMetadata = false
  /// True to write the artist and the copyright of EXIF even without other metadata.
  public var keepsCopyright = false
  /// True to write the gain map of an Ultra HDR picture, in formats that can hold one, even without metadata.
  public var keepsGainMap = true
  /// Settings of single coders.
  public var settings = EncodeOptions.Settings()

  /// Begins with the default options, which can be changed one by one.
  public init() {}

  /// Creates the default options with the given changes.
  ///
  /// An option that is given counts as set, even if its value is the default. Nil keeps the default.
  ///
  /// ```swift
  /// let options = EncodeOptions(quality: 0.6, backgroundColor: .white, keepsCopyright: true)
  /// ```
  public init(
    quality: Double? = nil, lossless: Bool? = nil, maxPixelSize: PixelSize? = nil, maxFileBytes: Int? = nil,
    backgroundColor: PixelColor = .white, firstFrameOnly: Bool = false, progressive: Bool? = nil,
    chromaSubsampling: ChromaSubsampling? = nil, compressionLevel: Int? = nil, allowsPalette: Bool = false,
    keepsMetadata: Bool = false, keepsCopyright: Bool = false, keepsGainMap: Bool = true
  ) {
    asked = Asked(
      quality: quality, lossless: lossless, progressive: progressive, chromaSubsampling: chromaSubsampling,
      compressionLevel: compressionLevel)
    self.maxPixelSize = maxPixelSize
    self.maxFileBytes = maxFileBytes
    self.backgroundColor = backgroundColor
    self.firstFrameOnly = firstFrameOnly
    self.allowsPalette = allowsPalette
    self.keepsMetadata = keepsMetadata
    self.keepsCopyright = keepsCopyright
    self.keepsGainMap = keepsGainMap
  }
}

extension EncodeOptions {
  /// The options that a caller set, without defaults.
  ///
  ///
  /// A received file may be sent in place of one with defaults, but not in place of one with options that a caller set.
  package struct Asked: Hashable, Sendable {
    package var quality: Double?
    package var lossless: Bool?
    package var progressive: Bool?
    package var chromaSubsampling: ChromaSubsampling?
    package var compressionLevel: Int?

    package init(
      quality: Double? = nil, lossless: Bool? = nil, progressive: Bool? = nil,
      chromaSubsampling: ChromaSubsampling? = nil, compressionLevel: Int? = nil
    ) {
      self.quality = quality
      self.lossless = lossless
      self.progressive = progressive
      self.chromaSubsampling = chromaSubsampling
      self.compressionLevel = compressionLevel
    }
  }

  /// Takes over the changed quality of other options: as a set quality if it is set there, else as the default.
  package mutating func takeQuality(of other: EncodeOptions, _ change: (Double) -> Double) {
    if let quality = other.asked.quality {
      asked.quality = change(quality)
    } else {
      defaultQuality = change(other.defaultQuality)
    }
  }
}
