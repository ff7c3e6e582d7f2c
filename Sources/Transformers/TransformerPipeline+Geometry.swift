import EaselCore
import EaselPixels

/// The transformers that change the shape of a picture, in dot syntax.
extension TransformerPipeline {
  /// Resizes to this width; the height follows the aspect ratio.
  ///
  /// ```swift
  /// let image = try await manager.image(for: url, context: [.transformer(.resize(width: 320))])
  /// ```
  public static func resize(
    width: Int, filter: Bitmap.ResampleFilter = .lanczos3, fidelity: Fidelity = .faithful
  ) -> TransformerPipeline {
    .resize(width: width, height: 0, filter: filter, fidelity: fidelity)
  }

  /// Resizes to this height; the width follows the aspect ratio.
  public static func resize(
    height: Int, filter: Bitmap.ResampleFilter = .lanczos3, fidelity: Fidelity = .faithful
  ) -> TransformerPipeline {
    .resize(width: 0, height: height, filter: filter, fidelity: fidelity)
  }

  /// Resizes to this size, enlarging the picture if necessary.
  ///
  /// A side of zero follows from the other side and the picture's aspect ratio. `mode` says what becomes of a picture that
  /// has another ratio: `.force` stretches it, `.fit` makes it as large as fits, `.fill` covers the size and cuts off the
  /// rest, and `.pad` adds bars. `gravity` names the part that stays with `.fill`, and the place between bars with `.pad`.
  /// `fidelity` says whether sRGB values are averaged, or light, which keeps fine bright details bright; a picture that
  /// is enlarged keeps its values. A coder that can decodes the picture at two to five times this size, at eight times
  /// with the box filter, at twice with `.fast`, and in full with `.exact`.
  ///
  /// The key is `Resize({width,height},mode)`; the filter follows unless it is Lanczos3; the filter and the raw value of
  /// the fidelity follow unless that is `.fast`; the gravity follows unless it is the centre, written as in the key of
  /// `crop(width:height:gravity:)`.
  ///
  /// ```swift
  /// let exact = TransformerPipeline.resize(width: 300, height: 200)
  /// ```
  public static func resize(
    width: Int, height: Int, mode: ResizeMode = .force, gravity: Gravity = .center,
    filter: Bitmap.ResampleFilter = .lanczos3, fidelity: Fidelity = .faithful
  ) -> TransformerPipeline {
    .custom(
      Resize(PixelSize(width: width, height: height), mode: mode, gravity: gravity, filter: filter, fidelity: fidelity))
  }

  /// Resizes the picture to fit inside a box, keeping its aspect ratio, without bars; a side of zero is unlimited.
  ///
  /// A picture that already fits is unchanged, unless `enlarges` is true; it then becomes as large as fits.
  ///
  /// ```swift
  /// let small = TransformerPipeline.resize(within: PixelSize(width: 800, height: 800))
  /// ```
  public static func resize(
    within box: PixelSize, enlarges: Bool = false, filter: Bitmap.ResampleFilter = .lanczos3,
    fidelity: Fidelity = .faithful
  ) -> TransformerPipeline {
    .custom(Resize(box, mode: enlarges ? .fit : .scaleDown, filter: filter, fidelity: fidelity))
  }

  /// Cuts out a rectangle, measured from the top left corner; parts of it outside the picture are ignored.
  ///
  /// The key is `Crop({x,y,width,height})`.
  public static func crop(_ rect: PixelRect) -> TransformerPipeline { .custom(Crop(rect)) }

  /// Cuts out a rectangle, measured from the top left corner; parts of it outside the picture are ignored.
  public static func crop(x: Int, y: Int, width: Int, height: Int) -> TransformerPipeline {
    .crop(PixelRect(x: x, y: y, width: width, height: height))
  }

  /// Cuts out a part of this size, no larger than the picture; a side of 0 is the picture's own.
  ///
  /// The key is `CropSize({width,height},gravity)`. In keys, a gravity is `no`, `noea`, `ea`, `soea`, `so`, `sowe`, `we`,
  /// `nowe`, `ce`, `sm` for the smart one, or `fp{x,y}` for a focal point. Insets follow as `{x,y}`. Shares have an `s`
  /// at the end.
  ///
  /// ```swift
  /// let square = TransformerPipeline.crop(width: 300, height: 300, gravity: .smart)
  /// ```
  public static func crop(width: Int, height: Int, gravity: Gravity = .center) -> TransformerPipeline {
    .crop(width: .pixels(width), height: .pixels(height), gravity: gravity)
  }

  /// Cuts out a part whose sides are pixels or shares of the picture; a side of 0 pixels is the picture's own.
  public static func crop(width: Length, height: Length, gravity: Gravity = .center) -> TransformerPipeline {
    .custom(Crop(.size(width, height, gravity)))
  }

  /// Cuts out a rectangle whose distances and sides are shares of the picture's sides, from 0 to 1.
  ///
  /// The key is `CropShare({x,y,width,height})`.
  public static func crop(
    shareX: Double, shareY: Double, shareWidth: Double, shareHeight: Double
  ) -> TransformerPipeline {
    .custom(Crop(.shares(x: shareX, y: shareY, width: shareWidth, height: shareHeight)))
  }

  /// Cuts out the largest part with this ratio of width to height.
  ///
  /// The key is `CropRatio(ratio,gravity)`, with the quotient of both numbers.
  public static func crop(
    ratioWidth: Double, ratioHeight: Double, gravity: Gravity = .center
  ) -> TransformerPipeline {
    .custom(Crop(.ratio(Ratio.of(ratioWidth, to: ratioHeight), gravity)))
  }

  /// Cuts off the borders of one colour; the picture stays as it is if it has no other colour.
  ///
  /// The border has the given colour, or that of the top left pixel. A pixel belongs to it if no component differs by
  /// more than the tolerance, in steps of 8 bits; colours are multiplied by alpha first. With `equalsHorizontally`, as
  /// much is cut off on the left as on the right, with `equalsVertically` above and below: the smaller of both. All
  /// frames of a moving picture are cut as the first, if the trim is a member of the pipeline; a transformer of your own
  /// that calls it cuts each frame by its own pixels.
  ///
  /// The key is `Trim(tolerance,#aarrggbb,equalsHorizontally,equalsVertically)`, with a dash for the top left pixel's
  /// colour.
  public static func trim(
    color: PixelColor? = nil, tolerance: Double = 10, equalsHorizontally: Bool = false, equalsVertically: Bool = false
  ) -> TransformerPipeline {
    .custom(
      Trim(
        color: color, tolerance: tolerance, equalsHorizontally: equalsHorizontally, equalsVertically: equalsVertically))
  }

  /// Cuts off the borders of a colour that counts for transparent pixels too.
  ///
  /// The key is that of a trim by the colour, which follows once more.
  package static func trim(
    colorOfTransparency color: PixelColor, tolerance: Double, equalsHorizontally: Bool, equalsVertically: Bool
  ) -> TransformerPipeline {
    .custom(
      Trim(
        color: color, tolerance: tolerance, equalsHorizontally: equalsHorizontally, equalsVertically: equalsVertically,
        transparency: color))
  }

  /// Cuts out a part of this size after its ratio of width to height was corrected.
  ///
  /// A side of 0 pixels is the picture's own. The part becomes smaller to get the ratio; if `enlarges` is true, larger, as
  /// far as the picture allows. The key is `CropShape({width,height},ratio,enlarges,gravity)`.
  package static func crop(
    width: Length, height: Length, ratio: Double, enlarges: Bool, gravity: Gravity
  ) -> TransformerPipeline {
    .custom(Crop(.shape(width, height, ratio: ratio, enlarges: enlarges, gravity)))
  }

  /// Mirrors the picture: horizontally swaps left and right, vertically swaps top and bottom.
  ///
  /// The key is `Flip(horizontal,vertical)`, with 1 for true and 0 for false.
  public static func flip(horizontal: Bool = false, vertical: Bool = false) -> TransformerPipeline {
    .custom(Flip(horizontal: horizontal, vertical: vertical))
  }

  /// Rotates counter-clockwise around the centre.
  ///
  /// With `fit` the canvas takes the size of the rotated picture; otherwise it keeps its size, and parts outside are cut
  /// off. Multiples of a quarter turn move pixels without changing them; angles within 1e-9 of one become that one.
  ///
  /// The key is `Rotate(radians,fit)`, without whole turns.
  public static func rotate(radians: Double, fit: Bool = true) -> TransformerPipeline {
    .custom(Rotate(radians: radians, fit: fit))
  }

  /// Rotates counter-clockwise around the centre.
  ///
  /// With `fit` the canvas takes the size of the rotated picture; otherwise parts are cut off.
  public static func rotate(degrees: Double, fit: Bool = true) -> TransformerPipeline {
    .rotate(radians: degrees.remainder(dividingBy: 360) * .pi / 180, fit: fit)
  }

  /// Adds a border of one colour around the picture, whose own transparency is kept.
  ///
  /// The key is `Pad({top,left,bottom,right},#aarrggbb)`.
  public static func pad(
    top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: PixelColor = .clear
  ) -> TransformerPipeline {
    .custom(Pad(top: top, left: left, bottom: bottom, right: right, color: color))
  }

  /// Adds a border of one colour and equal width on all sides.
  public static func pad(_ width: Int, color: PixelColor = .clear) -> TransformerPipeline {
    .pad(top: width, left: width, bottom: width, right: width, color: color)
  }

  /// Adds a border of one colour around the picture, with the widths of the insets.
  public static func pad(_ insets: Insets, color: PixelColor = .clear) -> TransformerPipeline {
    .pad(top: insets.top, left: insets.left, bottom: insets.bottom, right: insets.right, color: color)
  }

  /// Adds bars of one colour at two sides, so that the picture has this ratio of width to height.
  ///
  /// `gravity` names the place of the picture between the bars. The key is `ExtendRatio(ratio,#aarrggbb,gravity)`, with
  /// the quotient of both numbers.
  public static func extend(
    ratioWidth: Double, ratioHeight: Double, color: PixelColor = .clear, gravity: Gravity = .center
  ) -> TransformerPipeline {
    .custom(Extend(to: .ratio(Ratio.of(ratioWidth, to: ratioHeight)), color: color, gravity: gravity))
  }

  /// Adds bars of one colour, so that the picture is at least this large; a side of 0 is the picture's own.
  ///
  /// `gravity` names the place of the picture between the bars. The key is `Extend({width,height},#aarrggbb,gravity)`.
  public static func extend(
    width: Int, height: Int, color: PixelColor = .clear, gravity: Gravity = .center
  ) -> TransformerPipeline {
    .custom(Extend(to: .size(PixelSize(width: width, height: height)), color: color, gravity: gravity))
  }
}
