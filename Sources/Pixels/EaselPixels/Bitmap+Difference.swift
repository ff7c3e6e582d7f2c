import CEaselPixels
import EaselCore
import Glibc

/// The differences between two pictures of the same size.
package struct BitmapDifference: Hashable, Sendable {
  /// The largest difference of a component, in steps of `peak`.
  package let largest: Int
  /// The number of pixels that differ.
  package let pixels: Int
  /// The largest value of a component: 255, or 65,535 if one of the pictures has 16 bits.
  package let peak: Int
  /// The sum of the squared differences of all components.
  package let squares: Double
  /// The number of components that were compared, without the alpha of opaque pixels, which says nothing.
  package let components: Int

  /// The ratio of the highest signal to the noise, in decibels; infinite if the pictures are equal.
  package var signalToNoise: Double { Self.decibels(squares, over: components, peak: peak) }

  package static func decibels(_ squares: Double, over components: Int, peak: Int) -> Double {
    squares == 0 ? .infinity : 10 * log10(Double(peak * peak) * Double(components) / squares)
  }
}

extension Bitmap {
  /// Returns both pictures in the same format, as a viewer sees them: premultiplied, so that colours under transparent
  /// pixels do not count.
  ///
  /// They have 16 bits if one of them has 16.
  package static func comparable(
    _ first: Bitmap, _ second: Bitmap, work: WorkContext = WorkContext()
  ) throws(ImageError) -> (Bitmap, Bitmap) {
    let (first, second) = (first.markedOpaqueIfPossible(), second.markedOpaqueIfPossible())
    let layouts = [first.format.layout, second.format.layout]
    let layout: PixelFormat.Layout =
      layouts.contains(.rgba16) ? .rgba16 : layouts == [.gray8, .gray8] ? .gray8 : .rgba8
    let isOpaque = first.format.alpha == .opaque && second.format.alpha == .opaque
    let format = PixelFormat(layout, alpha: isOpaque ? .opaque : .premultiplied)
    return (try first.converted(to: format, work: work), try second.converted(to: format, work: work))
  }

  /// The differences from a picture of the same size and format, component by component.
  package func difference(from other: Bitmap) -> BitmapDifference {
    precondition(size == other.size && format == other.format, "Only pictures of one size and format can be compared.")
    var sum = easel_differences()
    withUnsafeBytes { left in
      other.withUnsafeBytes { right in
        easel_compare(
          left.baseAddress, bytesPerRow, right.baseAddress, other.bytesPerRow, width, height, format.kernel, &sum)
      }
    }
    let components = format.layout == .gray8 ? 1 : format.alpha == .opaque ? 3 : 4
    return BitmapDifference(
      largest: Int(sum.largest), pixels: Int(sum.pixels), peak: format.layout == .rgba16 ? 65_535 : 255,
      squares: Double(sum.squares), components: width * height * components)
  }

  /// The structural similarity of the luma (ITU-R BT.601) to a picture of the same size and format: 1 if they are
  /// equal.
  ///
  /// It is the mean over windows of 8 by 8 pixels, whose distance is 4. Transparent pictures are compared over black
  /// and over white, and the lower result counts. Both pictures must be opaque or premultiplied.
  package func similarity(to other: Bitmap) throws(ImageError) -> Double {
    precondition(size == other.size && format == other.format, "Only pictures of one size and format can be compared.")
    var lowest = 1.0
    for isOverWhite in format.alpha == .opaque ? [false] : [false, true] {
      var result = 1.0
      let status = withUnsafeBytes { left in
        other.withUnsafeBytes { right in
          easel_similarity(
            left.baseAddress, bytesPerRow, right.baseAddress, other.bytesPerRow, width, height, format.kernel,
            isOverWhite, &result)
        }
      }
      try check(status, "compare the pictures")
      lowest = min(lowest, result)
    }
    return lowest
  }

  /// Draws the differences from a picture of the same size and format: red to white, on a dark grey copy of this picture.
  package func drawnDifference(from other: Bitmap) throws(ImageError) -> Bitmap {
    precondition(size == other.size && format == other.format, "Only pictures of one size and format can be compared.")
    var result = try Bitmap(unfilled: size, format: .opaqueRGBA8)
    let stride = result.bytesPerRow
    result.withUnsafeMutableBytes { target in
      withUnsafeBytes { left in
        other.withUnsafeBytes { right in
          easel_draw_differences(
            left.baseAddress, bytesPerRow, right.baseAddress, other.bytesPerRow, width, height, format.kernel,
            target.baseAddress, stride)
        }
      }
    }
    return result
  }
}
