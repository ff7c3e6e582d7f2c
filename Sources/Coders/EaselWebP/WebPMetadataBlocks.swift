import EaselCoding
import EaselCore
import FoundationEssentials

/// The chunks of metadata that go along with the pixels.
///
/// The profile always does, and so does an orientation that the pixels still have: without them they would be shown
/// wrong.
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

  /// What VP8X has to announce.
  var features: WebPFile.Features {
    var features: WebPFile.Features = []
    if profile != nil { features.insert(.profile) }
    if exif != nil { features.insert(.exif) }
    if xmp != nil { features.insert(.xmp) }
    return features
  }
}
