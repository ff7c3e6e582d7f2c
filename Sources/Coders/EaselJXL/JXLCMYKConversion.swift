import CEaselJXL
import EaselCoding
import EaselColor
import EaselCore
import EaselPixels
import FoundationEssentials

/// Converts print colours to RGB, through the profile if there is a usable one.
struct JXLCMYKConversion {
  private let transform: ColorTransform?

  init(profile: Data?) throws(ImageError) {
    // In JPEG XL as in JPEG, the largest value is no ink.
    transform = try ColorTransform.fromInks(in: .invertedCMYK8, profile: profile)
  }

  /// Replaces cyan, magenta and yellow with red, green and blue.
  ///
  /// `black` has a byte per pixel; alpha stays.
  func convert(
    _ pixels: UnsafeMutableRawBufferPointer, black: UnsafePointer<UInt8>, work: WorkContext
  ) throws(ImageError) {
    let total = pixels.count / 4
    let count = min(total, 1 << 14)
    let alpha = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    defer { alpha.deallocate() }
    for start in stride(from: 0, to: total, by: max(1, count)) {
      try work.checkCancellation()
      let part = UnsafeMutableRawBufferPointer(rebasing: pixels[(4 * start)..<(4 * min(total, start + count))])
      let cmyk = part.baseAddress!.assumingMemoryBound(to: UInt8.self)
      easel_jxl_take_black(cmyk, black + start, alpha, part.count / 4)
      if let transform {
        transform.convert(UnsafeRawBufferPointer(part), into: part)
      } else {
        easel_jxl_inks_to_rgb(cmyk, part.count / 4)
      }
      easel_jxl_set_alpha(cmyk, alpha, part.count / 4)
    }
  }
}
