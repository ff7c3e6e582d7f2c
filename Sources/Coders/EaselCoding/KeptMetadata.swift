import EaselCore
import FoundationEssentials

/// The metadata that an encoder writes besides the colour profile.
///
/// An orientation other than upright is always written, because the picture would look wrong without it.
public struct KeptMetadata: Sendable {
  /// The EXIF block that is kept.
  public let exif: EXIF?
  /// The XMP packet that is kept.
  public let xmp: Data?
  /// The density that the file states outside EXIF.
  public let density: ImageMetadata.Density?

  /// Chooses the metadata that the options keep; an EXIF block of more than `mostEXIFBytes` cannot be written.
  public init(_ metadata: ImageMetadata, _ options: EncodeOptions, mostEXIFBytes: Int = .max) {
    let orientation = metadata.orientation
    let known = metadata.exif.flatMap(EXIF.init)
    var exif =
      options.keepsMetadata
      ? known?.stating(orientation) : options.keepsCopyright ? known?.copyright(stating: orientation) : nil
    if let bytes = exif?.bytes, bytes.count > mostEXIFBytes { exif = nil }
    if orientation != .up && exif?.orientation != orientation { exif = EXIF(orientation: orientation) }
    self.exif = exif
    xmp = options.keepsMetadata ? metadata.xmp.map { XMP($0).stating(orientation).bytes } : nil
    density = options.keepsMetadata ? metadata.density : nil
  }
}
