import CEaselJPEG
import EaselColor
import EaselCore
import FoundationEssentials

/// Turns four inks into colours, through their profile where there is one that can be used.
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

  /// Replaces a row of inverted inks by opaque RGBA.
  func convert(_ row: UnsafeMutableRawBufferPointer) {
    if let transform {
      transform.convert(UnsafeRawBufferPointer(row), into: row)
    } else {
      easel_jpeg_inks_to_rgba(row.baseAddress, row.baseAddress, row.count / 4)
    }
  }
}
