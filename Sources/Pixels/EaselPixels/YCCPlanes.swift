import CEaselPixels
import EaselCore

/// Planes of brightness and colours, as decoders of video store them; pixels are made from these.
///
/// It points into memory of the decoder, which must outlive it. Samples of up to 8 bits are bytes, others are 16-bit
/// words; none has more than 12 bits.
package struct YCCPlanes {
  private let planes: easel_ycc_planes

  /// Describes planes; for grey pictures, both colours are nil.
  package init(
    luma: UnsafeRawPointer, blue: UnsafeRawPointer?, red: UnsafeRawPointer?, strides: (Int, Int, Int),
    width: Int, height: Int, depth: Int, colorDepth: Int, halvesWidth: Bool, halvesHeight: Bool
  ) {
    planes = easel_ycc_planes(
      planes: (luma, blue, red), strides: (strides.0, strides.1, strides.2), width: width, height: height,
      depth: UInt32(depth), color_depth: UInt32(colorDepth), halves_width: halvesWidth, halves_height: halvesHeight)
  }

  /// Writes rows as opaque RGBA of 8 bits, or of 16 if wide.
  ///
  /// The twelve weights give red, green and blue, each from brightness, both colours as sixteen times their values, and
  /// one. Rows are the same whether they are written together or separately.
  package func writeRGBA(
    _ rows: Range<Int>, weights: [Float], isWide: Bool, to target: UnsafeMutableRawPointer, bytesPerRow: Int
  ) throws(ImageError) {
    precondition(weights.count == 12, "There are four weights for each of three components.")
    var planes = planes
    let status = weights.withUnsafeBytes { weights in
      easel_ycc_to_rgba(
        &planes, weights.assumingMemoryBound(to: (Float, Float, Float, Float).self).baseAddress, rows.lowerBound,
        rows.count, isWide, target, bytesPerRow)
    }
    try check(status, "make pixels of brightness and colours")
  }

  /// Writes the brightness of rows as the alpha of RGBA.
  package func writeAlpha(
    _ rows: Range<Int>, scale: Float, offset: Float, isWide: Bool, to target: UnsafeMutableRawPointer,
    bytesPerRow: Int
  ) {
    var planes = planes
    easel_ycc_to_alpha(&planes, scale, offset, rows.lowerBound, rows.count, isWide, target, bytesPerRow)
  }
}
