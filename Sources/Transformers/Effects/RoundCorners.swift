import EaselColor
import EaselCore
import EaselPixels

/// Rounds the corners of a picture and optionally draws a border inside its edge.
struct RoundCorners: BitmapTransformer {
  /// The radius in pixels.
  ///
  /// Half the shorter side turns a square into a circle; larger values change nothing more.
  let radius: Double
  /// The corners to round.
  let corners: TransformerPipeline.Corners
  /// The width of the border in pixels.
  let borderWidth: Double
  /// The colour of the border, nil for no border.
  let borderColor: PixelColor?

  /// Creates rounded corners; an invisible radius or border is stored as none.
  init(
    _ radius: Double, corners: TransformerPipeline.Corners = .all, borderWidth: Double = 0,
    borderColor: PixelColor? = nil
  ) {
    let isRound = radius != 0 && !corners.isEmpty
    self.radius = isRound ? radius : 0
    self.corners = isRound ? corners : []
    let hasBorder = borderWidth != 0 && borderColor.map { $0.alpha > 0 } == true
    self.borderWidth = hasBorder ? borderWidth : 0
    self.borderColor = hasBorder ? borderColor : nil
  }

  /// `RoundCorners(radius,corners,borderWidth,#aarrggbb)`, with a dash for no border.
  var cacheKey: String {
    KeyText.make(
      "RoundCorners", KeyText.number(radius), "\(corners.rawValue)", KeyText.number(borderWidth),
      borderColor.map(KeyNumber.text) ?? "-")
  }

  var isTrivial: Bool { radius == 0 && borderWidth == 0 }

  func checkParameters() throws(ImageError) {
    try require(radius >= 0 && radius.isFinite, "the radius must be 0 or more, but is \(radius)")
    try require(borderWidth >= 0 && borderWidth.isFinite, "the border must be 0 or wider, but is \(borderWidth)")
  }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> RoundCorners {
    RoundCorners(
      radius, corners: corners, borderWidth: borderWidth, borderColor: borderColor.map { $0.drawn(in: description) })
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    if radius == 0 && borderWidth == 0 { return bitmap }
    return try bitmap.roundingCorners(
      radius: radius, corners: corners.rawValue, borderWidth: borderWidth, borderColor: borderColor, work: work)
  }
}
