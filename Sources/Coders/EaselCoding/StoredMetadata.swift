import EaselCore
import FoundationEssentials

/// The metadata of a picture in the form of its file.
package struct StoredMetadata: Sendable {
  package var profile: Data?
  package var color: ColorDescription?
  package var exif: EXIF?
  package var xmp: XMP?
  package var density: ImageMetadata.Density?

  package init(
    profile: Data? = nil, color: ColorDescription? = nil, exif: EXIF? = nil, xmp: XMP? = nil,
    density: ImageMetadata.Density? = nil
  ) {
    (self.profile, self.color) = (profile, color)
    (self.exif, self.xmp, self.density) = (exif, xmp, density)
  }

  /// The turn that EXIF states or, without one, XMP.
  package var orientation: ImageMetadata.Orientation { exif?.orientation ?? xmp?.orientation ?? .up }

  /// The bytes of all blocks.
  package var byteCount: Int { (profile?.count ?? 0) + (exif?.bytes.count ?? 0) + (xmp?.bytes.count ?? 0) }
}

extension ImageHeader {
  /// Sets the sizes of the metadata and the description of the colours.
  package mutating func state(_ metadata: StoredMetadata) {
    iccProfileBytes = metadata.profile?.count ?? 0
    exifBytes = metadata.exif?.bytes.count ?? 0
    color = metadata.color
  }
}
