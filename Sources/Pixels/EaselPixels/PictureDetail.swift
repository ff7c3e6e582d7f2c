import CEaselPixels
import EaselCore

/// The kinds of structure in a picture, by which encoders lose more or less of its looks.
package struct PictureDetail: Hashable, Sendable {
  /// Means over blocks of pixels, in a fixed order.
  package let values: [Double]
}

extension Bitmap {
  /// Measures the structure; nil for a picture with a side of less than 16 pixels.
  ///
  /// Of a picture of more than a megapixel, only a part is looked at. Alpha does not count.
  package func detail(work: WorkContext) throws(ImageError) -> PictureDetail? {
    let colors =
      try format.layout == .rgba8 ? self : converted(to: PixelFormat(.rgba8, alpha: format.alpha), work: work)
    try work.checkCancellation()
    var values = [Double](repeating: 0, count: Int(EASEL_DETAIL_VALUES))
    let isMeasured = colors.withUnsafeBytes { bytes in
      easel_detail(
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), colors.bytesPerRow, width, height, &values)
    }
    return isMeasured ? PictureDetail(values: values) : nil
  }
}
