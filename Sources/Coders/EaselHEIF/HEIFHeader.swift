import EaselCoding
import EaselCore

/// The description that a file contains besides its pixels.
struct HEIFHeader {
  /// The part of the coded picture that is shown, and its turn.
  ///
  /// The EXIF block does not affect the turn.
  let geometry: HEIFGeometry
  let bitDepth: Int
  let hasAlpha: Bool
  let colors: HEIFColors
  let metadata: StoredMetadata
  /// The display time of each frame of a sequence; empty for a still picture.
  var delays: [Duration] = []
  /// The number of plays; 0 is forever.
  var loopCount = 0

  /// Throws when the picture is over a limit.
  func check(_ limits: Limits) throws(ImageError) {
    try limits.check(metadataBytes: metadata.byteCount, claimedBy: "HEIF: the header")
  }

  var imageHeader: ImageHeader {
    var header = ImageHeader(
      format: .heic, storedSize: geometry.crop.size, orientation: geometry.orientation,
      frameCount: max(1, delays.count), loopCount: loopCount, hasAlpha: hasAlpha, bitDepth: bitDepth)
    header.storedDelays = delays
    header.state(metadata)
    return header
  }
}
