import EaselCore
import EaselPixels

/// The transformers that change the shape of a picture, in dot syntax.
extension TransformerPipeline {
  /// Resizes to this width; the height follows the aspect ratio.
  public static func resize(width: Int, filter: ResampleFilter = .lanczos3) -> TransformerPipeline {
    .resize(width: width, height: 0, filter: filter)
  }

  /// Resizes to this height; the width follows the aspect ratio.
  public static func resize(height: Int, filter: ResampleFilter = .lanczos3) -> TransformerPipeline {
    .resize(width: 0, height: height, filter: filter)
  }

  /// Resizes to this size.
  public static func resize(
    width: Int, height: Int, mode: ResizeMode = .fill, filter: ResampleFilter = .lanczos3, linearLight: Bool = false
  ) -> TransformerPipeline {
    .custom(Resize(PixelSize(width: width, height: height), mode: mode, filter: filter, linearLight: linearLight))
  }

  /// Resizes the picture to fit inside a box, keeping its aspect ratio, without bars; a side of zero is unlimited.
  ///
  /// A picture that already fits is unchanged, unless `enlarges` is true; it then becomes as large as fits.
  public static func resize(
    within box: PixelSize, enlarges: Bool = false, filter: ResampleFilter = .lanczos3, linearLight: Bool = false
  ) -> TransformerPipeline {
    .custom(Resize(box, mode: enlarges ? .inside : .insideUnlessSmaller, filter: filter, linearLight: linearLight))
  }

  /// Cuts out a rectangle.
  public static func crop(_ rect: PixelRect) -> TransformerPipeline { .custom(Crop(rect)) }

  /// Cuts out a rectangle.
  public static func crop(x: Int, y: Int, width: Int, height: Int) -> TransformerPipeline {
    .crop(PixelRect(x: x, y: y, width: width, height: height))
  }

  /// Mirrors the picture.
  public static func flip(horizontal: Bool = false, vertical: Bool = false) -> TransformerPipeline {
    .custom(Flip(horizontal: horizontal, vertical: vertical))
  }

  /// Rotates counter-clockwise.
  ///
  /// With `fit` the canvas takes the size of the rotated picture; otherwise parts are cut off.
  public static func rotate(radians: Double, fit: Bool = true) -> TransformerPipeline {
    .custom(Rotate(radians: radians, fit: fit))
  }

  /// Rotates counter-clockwise.
  ///
  /// With `fit` the canvas takes the size of the rotated picture; otherwise parts are cut off.
  public static func rotate(degrees: Double, fit: Bool = true) -> TransformerPipeline {
    .rotate(radians: degrees.remainder(dividingBy: 360) * .pi / 180, fit: fit)
  }

  /// Adds a border of one colour around the picture.
  public static func pad(
    top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: PixelColor = .clear
  ) -> TransformerPipeline {
    .custom(Pad(top: top, left: left, bottom: bottom, right: right, color: color))
  }

  /// Adds a border of one colour and equal width on all sides.
  public static func pad(_ width: Int, color: PixelColor = .clear) -> TransformerPipeline {
    .pad(top: width, left: width, bottom: width, right: width, color: color)
  }
}
