import FoundationEssentials

/// The information in a file besides the pixels.
///
/// ```swift
/// let metadata = image.metadata
/// print(metadata.storedSize, metadata.orientation, metadata.exif?.count ?? 0)
/// ```
public struct ImageMetadata: Hashable, Sendable {
  /// The size in the file, before scaling and before the orientation is applied.
  public var storedSize: PixelSize
  /// The orientation that the file states.
  public var orientation: ImageMetadata.Orientation
  /// The embedded ICC profile.
  ///
  /// The pixels use it unless they were converted to sRGB.
  public var iccProfile: Data?
  /// The colours of the pixels, if code points describe them.
  ///
  /// The pixels use these colours unless they were converted to sRGB. An ICC profile overrides the code points, except
  /// in pictures of high range.
  public var color: ColorDescription?
  /// The gain map of an Ultra HDR picture, which makes it brighter on displays of high range.
  public var gainMap: GainMap?
  /// Sentences about parts of the file that were ignored because they are wrong.
  public var notes: [String] = []
  /// The EXIF block, starting with its TIFF header.
  public var exif: Data?
  /// The XMP packet.
  public var xmp: Data?
  /// The density that the file states.
  public var density: ImageMetadata.Density?

  /// Describes a file by its stored size and further properties.
  ///
  /// ```swift
  /// let metadata = ImageMetadata(storedSize: bitmap.size, orientation: .right)
  /// let image = Image(bitmap, metadata: metadata)
  /// ```
  public init(
    storedSize: PixelSize, orientation: ImageMetadata.Orientation = .up, iccProfile: Data? = nil, exif: Data? = nil,
    xmp: Data? = nil, density: ImageMetadata.Density? = nil
  ) {
    self.storedSize = storedSize
    self.orientation = orientation
    self.iccProfile = iccProfile
    self.exif = exif
    self.xmp = xmp
    self.density = density
  }

  package var memoryCost: Int { (iccProfile?.count ?? 0) + (exif?.count ?? 0) + (xmp?.count ?? 0) }
}

extension ImageMetadata {
  /// The way a stored picture must be turned to stand upright; the raw values are those of EXIF.
  public enum Orientation: Int, Hashable, Sendable, CaseIterable, Codable {
    /// Stored upright.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Stored upside down.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the diagonal from the top left.
    case leftMirrored = 5
    /// Must be turned a quarter clockwise to stand upright.
    case right = 6
    /// Mirrored along the diagonal from the top right.
    case rightMirrored = 7
    /// Must be turned a quarter counter-clockwise to stand upright.
    case left = 8

    /// True when setting the picture upright swaps width and height.
    public var swapsSides: Bool { rawValue >= 5 }
  }
}

extension ImageMetadata {
  /// The number of pixels per inch.
  public struct Density: Hashable, Sendable, Codable {
    /// The horizontal number of pixels per inch.
    public var horizontal: Double
    /// The vertical number of pixels per inch.
    public var vertical: Double

    /// Takes the pixels per inch in both directions.
    public init(horizontal: Double, vertical: Double) {
      self.horizontal = horizontal
      self.vertical = vertical
    }
  }
}
