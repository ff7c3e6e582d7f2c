import CEaselTIFF
import EaselColor
import EaselCore
import FoundationEssentials

/// Converts CMYK to RGB, through the profile if there is a usable one.
struct TIFFInks {
  private let transform: ColorTransform?

  init(profile: Data?) throws(ImageError) {
    guard let profile else {
      transform = nil
      return
    }
    do throws(ImageError) {
      transform = try ColorTransform(from: .icc(profile), layout: .cmyk8, layout: .rgba8)
    } catch {
      guard error.code == .badImageData else { throw error }
      transform = nil
    }
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
