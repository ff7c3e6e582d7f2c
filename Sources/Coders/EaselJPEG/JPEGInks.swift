import CEaselJPEG
import EaselColor
import EaselCore
import FoundationEssentials

/// Converts CMYK to RGB, through the profile if there is a usable one.
struct JPEGInks {
  private let transform: ColorTransform?

  init(profile: Data?) throws(ImageError) {
    guard let profile else {
      transform = nil
      return
    }
    do throws(ImageError) {
      transform = try ColorTransform(from: .icc(profile), layout: .invertedCMYK8, layout: .rgba8)
    } catch {
      guard error.code == .badImageData else { throw error }
      transform = nil
    }
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
