import EaselCore
import EaselPixels

/// The transformers that change the look of a picture, in dot syntax.
extension TransformerPipeline {
  /// Rounds corners and optionally draws a border inside the edge.
  public static func roundCorners(
    _ radius: Double, corners: Corners = .all, borderWidth: Double = 0, borderColor: PixelColor? = nil
  ) -> TransformerPipeline {
    .custom(RoundCorners(radius, corners: corners, borderWidth: borderWidth, borderColor: borderColor))
  }

  /// Blurs with approximately a Gaussian of this standard deviation.
  public static func blur(_ radius: Double) -> TransformerPipeline { .custom(Blur(radius)) }

  /// Emphasises edges.
  public static func sharpen(_ amount: Double = 1, radius: Double = 1) -> TransformerPipeline {
    .custom(Sharpen(amount, radius: radius))
  }

  /// Blends a colour over the picture; by default only the picture's shape remains, in that colour.
  public static func tint(_ color: PixelColor, mode: BlendMode = .sourceIn) -> TransformerPipeline {
    .custom(Tint(color, mode: mode))
  }

  /// Removes the colour.
  public static var grayscale: TransformerPipeline { .custom(Grayscale()) }

  /// Removes some of the colour; 1 leaves none.
  public static func grayscale(_ amount: Double) -> TransformerPipeline { .custom(Grayscale(amount)) }

  /// Gives the picture the brown tone of old photographs.
  public static func sepia(_ amount: Double = 1) -> TransformerPipeline { .custom(Sepia(amount)) }

  /// Makes the picture darker or brighter by a factor.
  public static func brightness(_ amount: Double) -> TransformerPipeline { .custom(Brightness(amount)) }

  /// Moves colours away from or towards middle grey by a factor.
  public static func contrast(_ amount: Double) -> TransformerPipeline { .custom(Contrast(amount)) }

  /// Makes colours paler or stronger by a factor.
  public static func saturation(_ amount: Double) -> TransformerPipeline { .custom(Saturation(amount)) }

  /// Turns the picture into its negative.
  public static func invert(_ amount: Double = 1) -> TransformerPipeline { .custom(Invert(amount)) }

  /// Changes the colours of each pixel with a matrix.
  public static func colorMatrix(_ matrix: ColorMatrix) -> TransformerPipeline { .custom(MixColors(matrix)) }

  /// Draws another picture over the picture; `name` stands for it in keys.
  public static func overlay(
    _ picture: Bitmap, name: String, anchor: OverlayAnchor = .bottomRight, insetX: Int = 0, insetY: Int = 0,
    opacity: Double = 1, mode: BlendMode = .normal
  ) -> TransformerPipeline {
    .custom(
      Overlay(
        picture, name: name, anchor: anchor, insetX: insetX, insetY: insetY, opacity: opacity, mode: mode))
  }
}
