import EaselCore
import EaselPixels

/// The transformers that change the shape of a picture, in dot syntax.
extension TransformerPipeline {
  /// Gives the picture this width; the height follows its ratio.
  public static func resize(width: Int, filter: ResampleFilter = .lanczos3) -> TransformerPipeline {
    .resize(width: width, height: 0, filter: filter)
  }

  /// Gives the picture this height; the width follows its ratio.
  public static func resize(height: Int, filter: ResampleFilter = .lanczos3) -> TransformerPipeline {
    .resize(width: 0, height: height, filter: filter)
  }

  /// Gives the picture this size.
  public static func resize(
    width: Int, height: Int, mode: ResizeMode = .fill, filter: ResampleFilter = .lanczos3, linearLight: Bool = false
  ) -> TransformerPipeline {
    .custom(Resize(PixelSize(width: width, height: height), mode: mode, filter: filter, linearLight: linearLight))
  }

  /// Makes the picture fit inside of a box, with its ratio kept and without bars; a side of zero is free.
  ///
  /// A picture that fits already stays as it is, unless `enlarges` has it made as large as fits.
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

  /// Turns the picture counter-clockwise; with `fit` the canvas follows, else it clips.
  public static func rotate(radians: Double, fit: Bool = true) -> TransformerPipeline {
    .custom(Rotate(radians: radians, fit: fit))
  }

  /// Turns the picture counter-clockwise; with `fit` the canvas follows, else it clips.
  public static func rotate(degrees: Double, fit: Bool = true) -> TransformerPipeline {
    .rotate(radians: degrees.remainder(dividingBy: 360) * .pi / 180, fit: fit)
  }

  /// Puts a border of one colour around the picture.
  public static func pad(
    top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: PixelColor = .clear
  ) -> TransformerPipeline {
    .custom(Pad(top: top, left: left, bottom: bottom, right: right, color: color))
  }

  /// Puts a border of one colour and of the same width around the picture.
  public static func pad(_ width: Int, color: PixelColor = .clear) -> TransformerPipeline {
    .pad(top: width, left: width, bottom: width, right: width, color: color)
  }
}
