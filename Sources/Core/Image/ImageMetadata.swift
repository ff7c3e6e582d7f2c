import FoundationEssentials

/// The information in a file besides the pixels.
public struct ImageMetadata: Hashable, Sendable {
  /// The size in the file, before scaling and before the orientation is applied.
  public var storedSize: PixelSize
  /// The orientation that the file states.
  public var orientation: ImageOrientation
  /// The embedded ICC profile.
  ///
  /// The pixels use it unless they were converted to sRGB.
  public var iccProfile: Data?
  /// The EXIF block, starting with its TIFF header.
  public var exif: Data?
  /// The XMP packet.
  public var xmp: Data?
  /// The density that the file states.
  public var density: PixelDensity?

  /// Creates metadata.
  public init(
    storedSize: PixelSize, orientation: ImageOrientation = .up, iccProfile: Data? = nil, exif: Data? = nil,
    xmp: Data? = nil, density: PixelDensity? = nil
  ) {
    self.storedSize = storedSize
    self.orientation = orientation
    self.iccProfile = iccProfile
    self.exif = exif
    self.xmp = xmp
    self.density = density
  }

  var memoryCost: Int { (iccProfile?.count ?? 0) + (exif?.count ?? 0) + (xmp?.count ?? 0) }
}
