import CEaselJPEG
import EaselCoding
import EaselColor
import EaselCore
import FoundationEssentials

/// Converts CMYK to RGB, through the profile if there is a usable one.
struct JPEGCMYKConversion {
  private let transform: ColorTransform?

  init(profile: Data?) throws(ImageError) {
    transform = try ColorTransform.fromInks(in: .invertedCMYK8, profile: profile)
  }

  /// Replaces a row of inverted CMYK with opaque RGBA.
  func convert(_ row: UnsafeMutableRawBufferPointer) {
    if let transform {
      transform.convert(UnsafeRawBufferPointer(row), into: row)
    } else {
      easel_jpeg_inks_to_rgba(row.baseAddress, row.baseAddress, row.count / 4)
    }
  }
}
