import CEaselJXL
import EaselCoding
import EaselCore

extension CMYKConversion {
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
      easel_jxl_take_black(
        part.baseAddress!.assumingMemoryBound(to: UInt8.self), black + start, alpha, part.count / 4)
      convert(part, alpha: alpha)
    }
  }
}
