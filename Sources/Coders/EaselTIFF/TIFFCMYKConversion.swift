import CEaselTIFF
import EaselCoding
import EaselColor
import EaselCore
import FoundationEssentials

/// Converts CMYK to RGB, through the profile if there is a usable one.
struct TIFFCMYKConversion {
  private let transform: ColorTransform?

  init(profile: Data?) throws(ImageError) {
    transform = try ColorTransform.fromInks(in: .cmyk8, profile: profile)
  }

  /// Replaces inks with opaque RGBA.
  func convert(_ pixels: UnsafeMutableRawBufferPointer) {
    if let transform {
      transform.convert(UnsafeRawBufferPointer(pixels), into: pixels)
    } else {
      easel_tiff_inks_to_rgba(pixels.baseAddress, pixels.count / 4)
    }
  }
}
