import EaselCoding
import EaselCore
import FoundationEssentials

/// The metadata chunks written with the pixels.
///
/// The profile is always written, because the picture would look wrong without it.
struct WebPMetadataBlocks {
  let profile: Data?
  let exif: Data?
  let xmp: Data?

  init(_ metadata: ImageMetadata, _ options: EncodeOptions) {
    profile = metadata.iccProfile
    let kept = KeptMetadata(metadata, options)
    exif = kept.exif?.bytes
    xmp = kept.xmp
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
