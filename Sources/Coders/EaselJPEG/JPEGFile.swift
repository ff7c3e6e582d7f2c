import EaselCoding
import EaselCore
import FoundationEssentials

/// What is known of a file from everything before its pixels.
struct JPEGFile {
  /// What the components of a pixel are.
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
  /// Whether the pixels are spread over several scans, so that their coefficients are all kept.
  var hasSeveralScans = false
  var profile = JPEGProfilePieces()
  var exif: EXIF?
  var xmp: XMP?
  /// The density of the JFIF header.
  var density: PixelDensity?

  var orientation: ImageOrientation { exif?.orientation ?? xmp?.orientation ?? .up }

  func imageHeader(profileBytes: Int) -> ImageHeader {
    var header = ImageHeader(format: .jpeg, storedSize: size, orientation: orientation, bitDepth: bitDepth)
    header.iccProfileBytes = profileBytes
    header.exifBytes = exif?.bytes.count ?? 0
    return header
  }

  /// The ICC profile, nil when there is none or it cannot be put together.
  func readProfile(of bytes: ImageBytes) throws(ImageError) -> Data? { try profile.assembled(from: bytes) }
}
