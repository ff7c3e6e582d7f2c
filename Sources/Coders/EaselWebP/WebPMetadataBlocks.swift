import EaselCoding
import EaselCore
import FoundationEssentials

/// The metadata chunks written with the pixels.
///
/// The profile and a remaining orientation are always written, because the picture would look wrong without them.
struct WebPMetadataBlocks {
  let profile: Data?
  let exif: Data?
  let xmp: Data?

  init(_ metadata: ImageMetadata, keepsAll: Bool) {
    profile = metadata.iccProfile
    let orientation = metadata.orientation
    var exif = keepsAll ? metadata.exif.flatMap(EXIF.init)?.stating(orientation) : nil
    if orientation != .up && exif?.orientation != orientation { exif = EXIF(orientation: orientation) }
    self.exif = exif?.bytes
    xmp = keepsAll ? metadata.xmp.map { XMP($0).stating(orientation).bytes } : nil
  }

  /// The metadata features that VP8X must announce.
  var features: WebPFile.Features {
    var features: WebPFile.Features = []
    if profile != nil { features.insert(.profile) }
    if exif != nil { features.insert(.exif) }
    if xmp != nil { features.insert(.xmp) }
    return features
  }
}
