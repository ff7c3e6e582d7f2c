import EaselCoding
import EaselCore
import FoundationEssentials

/// All that is known of a file from the segments before its pixels.
struct JPEGFile {
  /// The colour components of a pixel.
  enum Kind {
    case gray
    case color
    /// Cyan, magenta, yellow and black.
    case inks
  }

  let size: PixelSize
  let bitDepth: Int
  let kind: Kind
  let isProgressive: Bool
  let isArithmetic: Bool
  /// True when the pixels are spread over several scans, which requires keeping all coefficients in memory.
  var hasSeveralScans = false
  var profile = JPEGProfilePieces()
  var exif: EXIF?
  var xmp: XMP?
  /// The index of the pictures in the file.
  var pictures: MultiPictureIndex?
  /// The content of the segment of ISO 21496-1 after the name of the standard.
  var isoGainMap: [UInt8]?
  /// The density in the JFIF header.
  var density: PixelDensity?

  var orientation: ImageOrientation { exif?.orientation ?? xmp?.orientation ?? .up }

  func imageHeader(profileBytes: Int) -> ImageHeader {
    var header = ImageHeader(format: .jpeg, storedSize: size, orientation: orientation, bitDepth: bitDepth)
    header.iccProfileBytes = profileBytes
    header.exifBytes = exif?.bytes.count ?? 0
    return header
  }

  /// The ICC profile, nil if there is none or its pieces do not fit together.
  func readProfile(of bytes: ImageBytes) throws(ImageError) -> Data? { try profile.assembled(from: bytes) }
}
