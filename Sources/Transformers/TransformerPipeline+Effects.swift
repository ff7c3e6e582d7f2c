import EaselCore
import EaselPixels

/// The transformers that change the look of a picture, in dot syntax.
extension TransformerPipeline {
  /// Rounds corners and optionally draws a border inside the edge; both are measured in pixels.
  ///
  /// A radius of half the shorter side turns a square into a circle; larger values change nothing more.
  ///
  /// The key is `RoundCorners(radius,corners,borderWidth,#aarrggbb)`, with a dash for no border.
  ///
  /// ```swift
  /// let face = TransformerPipeline.resize(width: 96).then(.roundCorners(48, borderWidth: 2, borderColor: .white))
  /// ```
  public static func roundCorners(
    _ radius: Double, corners: Corners = .all, borderWidth: Double = 0, borderColor: PixelColor? = nil
  ) -> TransformerPipeline {
    .custom(RoundCorners(radius, corners: corners, borderWidth: borderWidth, borderColor: borderColor))
  }

  /// Blurs with three box passes, which approximate a Gaussian of this standard deviation in pixels.
  ///
  /// The key is `Blur(radius)`.
  ///
  /// ```swift
  /// let backdrop = TransformerPipeline.resize(width: 320).then(.blur(8))
  /// ```
  public static func blur(_ radius: Double) -> TransformerPipeline { .custom(Blur(radius)) }

  /// Emphasizes edges by adding a share of the details that a blur of this radius would remove.
  ///
  /// The key is `Sharpen(amount,radius)`.
  public static func sharpen(_ amount: Double = 1, radius: Double = 1) -> TransformerPipeline {
    .custom(Sharpen(amount, radius: radius))
  }

  /// Makes each pixel of its neighbours, each multiplied by a number of a matrix whose middle is the pixel itself.
  ///
  /// The matrix has an odd number of rows and of columns, at most 15 each. Normalized, its numbers are divided by their
  /// sum, unless that is zero. Pixels at the edges count for those beyond. The transparency stays.
  ///
  /// The key is `Convolution(columns,divisor,{numbers})`.
  ///
  /// ```swift
  /// let edges = TransformerPipeline.convolution([[0, 1, 0], [1, -4, 1], [0, 1, 0]])
  /// let soft = TransformerPipeline.convolution([[1, 2, 1], [2, 4, 2], [1, 2, 1]], normalizes: true)
  /// ```
  public static func convolution(_ matrix: [[Double]], normalizes: Bool = false) -> TransformerPipeline {
    let columns = matrix.first?.count ?? 0
    return .custom(
      Convolution(
        matrix.flatMap { $0 }, columns: matrix.allSatisfy { $0.count == columns } ? columns : 0, normalizes: normalizes)
    )
  }

  /// Blends a colour over the picture; by default only the picture's shape remains, in that colour, as icons need it.
  ///
  /// The key is `Tint(#aarrggbb,mode)`.
  public static func tint(_ color: PixelColor, mode: Bitmap.BlendMode = .sourceIn) -> TransformerPipeline {
    .custom(Tint(color, mode: mode))
  }

  /// Removes the colour, weighting red, green and blue as in BT.709 (HDTV).
  public static var grayscale: TransformerPipeline { .custom(Grayscale()) }

  /// Removes this share of the colour; 1 leaves none.
  ///
  /// The key is `Grayscale(amount)`.
  ///
  /// ```swift
  /// let faded = TransformerPipeline.grayscale(0.5)
  /// ```
  public static func grayscale(_ amount: Double) -> TransformerPipeline { .custom(Grayscale(amount)) }

  /// Gives the picture the brown tone of old photographs; 1 is fully brown.
  ///
  /// The key is `Sepia(amount)`.
  public static func sepia(_ amount: Double = 1) -> TransformerPipeline { .custom(Sepia(amount)) }

  /// Makes the picture darker or brighter by a factor: 0 is black, 1 changes nothing.
  ///
  /// The key is `Brightness(amount)`.
  public static func brightness(_ amount: Double) -> TransformerPipeline { .custom(Brightness(amount)) }

  /// Moves colours away from or towards middle grey by a factor: 0 is grey, 1 changes nothing.
  ///
  /// The key is `Contrast(amount)`.
  public static func contrast(_ amount: Double) -> TransformerPipeline { .custom(Contrast(amount)) }

  /// Makes colours paler or stronger by a factor: 0 is grey, 1 changes nothing.
  ///
  /// The key is `Saturation(amount)`.
  public static func saturation(_ amount: Double) -> TransformerPipeline { .custom(Saturation(amount)) }

  /// Moves colours towards their negatives; 1 is the negative, and at a half everything is middle grey.
  ///
  /// The key is `Invert(amount)`.
  public static func invert(_ amount: Double = 1) -> TransformerPipeline { .custom(Invert(amount)) }

  /// Draws the picture in the colours between two, by its luminance; 1 leaves none of its own colours.
  ///
  /// The transparency of the two colours has no meaning. The key is `Duotone(#aarrggbb,#aarrggbb,amount)`.
  public static func duotone(
    shadows: PixelColor, highlights: PixelColor, amount: Double = 1
  ) -> TransformerPipeline {
    .custom(Duotone(shadows: shadows, highlights: highlights, amount: amount))
  }

  /// Turns the picture into squares of this side in pixels, each with the mean colour of its pixels.
  ///
  /// The key is `Pixelate(block)`.
  public static func pixelate(_ block: Int) -> TransformerPipeline { .custom(Pixelate(block)) }

  /// Changes the colours of each pixel with a matrix.
  ///
  /// The key is `ColorMatrix(...)` with the twenty numbers of the matrix, row by row.
  public static func colorMatrix(_ matrix: Bitmap.ColorMatrix) -> TransformerPipeline { .custom(MixColors(matrix)) }

  /// Puts a colour behind the picture; an opaque colour leaves no transparency.
  ///
  /// The key is `Background(#aarrggbb)`.
  public static func background(_ color: PixelColor) -> TransformerPipeline { .custom(Background(color)) }

  /// Draws a watermark over the picture, and over each frame of a moving picture.
  ///
  /// In keys, `name` stands for the watermark, so different watermarks need different names. With a `scale` the watermark
  /// is fitted into this share of the picture's width and height; otherwise it keeps its size. A watermark that is larger
  /// than the picture is reduced to fit. Each size is made once, as long as the pipeline or a copy of it is kept.
  ///
  /// The key is `Watermark(name,gravity,opacity,scale)`, with a scale of 0 for none. In the name, all characters except
  /// letters, digits, dots and underscores are written as `%` and two digits; `crop(width:height:gravity:)` tells how a
  /// gravity is written.
  ///
  /// ```swift
  /// let marked = TransformerPipeline.watermark(bitmap, name: "logo", opacity: 0.5, scale: 0.2)
  /// ```
  public static func watermark(
    _ picture: Bitmap, name: String, gravity: Gravity = .southEast, opacity: Double = 1, scale: Double? = nil
  ) -> TransformerPipeline {
    .custom(
      Watermark(
        name: name, picture: WatermarkImage(picture), gravity: gravity.betweenBars, opacity: opacity,
        scaleX: scale ?? 0, scaleY: scale ?? 0, gaps: nil))
  }

  /// Draws a watermark that is fitted into shares of the picture's sides; a side without a share follows from the other.
  package static func watermark(
    _ picture: Bitmap, name: String, gravity: Gravity, opacity: Double, scaleX: Double, scaleY: Double
  ) -> TransformerPipeline {
    .custom(
      Watermark(
        name: name, picture: WatermarkImage(picture), gravity: gravity.betweenBars, opacity: opacity, scaleX: scaleX,
        scaleY: scaleY, gaps: nil))
  }

  /// Repeats a watermark all over the picture, with gaps between, one of them at the place of the gravity.
  ///
  /// The gaps are pixels or shares of the picture's sides. The key is that of one watermark with the gaps added:
  /// `Watermark(name,gravity,opacity,scale,{gapX,gapY})`.
  public static func watermark(
    repeating picture: Bitmap, name: String, gapX: Length = .pixels(0), gapY: Length = .pixels(0),
    gravity: Gravity = .northWest, opacity: Double = 1, scale: Double? = nil
  ) -> TransformerPipeline {
    .custom(
      Watermark(
        name: name, picture: WatermarkImage(picture), gravity: gravity.betweenBars, opacity: opacity,
        scaleX: scale ?? 0, scaleY: scale ?? 0, gaps: Watermark.Gaps(x: gapX, y: gapY)))
  }

  /// Draws another picture over the picture, with any way of blending.
  ///
  /// In keys, `name` stands for the other picture, so different pictures need different names. The insets are pixels
  /// from the sides that the anchor names; for a centred anchor they shift the picture to the right and down.
  ///
  /// The key is `Overlay(name,anchor,{insetX,insetY},opacity,mode)`. In the name, all characters except letters, digits,
  /// dots and underscores are written as `%` and two digits.
  public static func overlay(
    _ picture: Bitmap, name: String, anchor: OverlayAnchor = .bottomRight, insetX: Int = 0, insetY: Int = 0,
    opacity: Double = 1, mode: Bitmap.BlendMode = .normal
  ) -> TransformerPipeline {
    .custom(
      Overlay(
        name: name, picture: picture, anchor: anchor, insetX: insetX, insetY: insetY, opacity: opacity, mode: mode))
  }
  /// Draws layers over the picture, the first one first: other pictures, or the picture itself once more.
  ///
  /// Each layer has a pipeline, a place, an opacity and a way of blending of its own; `Layer` says what they are. What
  /// sticks out of the picture is cut off. There are at most 64 layers.
  ///
  /// The key is `Layers({name,gravity,opacity,mode,pipeline},...)`, with a dash for the name of the picture itself, and
  /// without the pipeline if it does nothing.
  ///
  /// ```swift
  /// let card = TransformerPipeline.layers([
  ///   .init(.grayscale.then(.blur(8)), opacity: 0.7, mode: .multiply),
  ///   .init(bitmap, name: "portrait", .resize(width: 200), gravity: .west),
  /// ])
  /// ```
  public static func layers(_ layers: [Layer]) -> TransformerPipeline { .custom(Layers(layers)) }
}
