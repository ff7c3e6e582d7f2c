import EaselCore
import EaselPixels

/// Rounds the corners of a picture and may draw a border inside of its edge.
public struct RoundCorners: BitmapTransformer {
  /// The radius in pixels; half the shorter side makes a circle of a square, and more makes no difference.
  public let radius: Double
  /// The corners that are rounded.
  public let corners: Corners
  /// The width of the border in pixels.
  public let borderWidth: Double
  /// The colour of the border, nil without one.
  public let borderColor: PixelColor?

  /// Creates it; a radius or a border that cannot be seen is the same as none.
  public init(
    _ radius: Double, corners: Corners = .all, borderWidth: Double = 0, borderColor: PixelColor? = nil
  ) {
    let isRound = radius != 0 && !corners.isEmpty
    self.radius = isRound ? radius : 0
    self.corners = isRound ? corners : []
    let hasBorder = borderWidth != 0 && borderColor.map { $0.alpha > 0 } == true
    self.borderWidth = hasBorder ? borderWidth : 0
    self.borderColor = hasBorder ? borderColor : nil
  }

  /// `RoundCorners(radius,corners,borderWidth,#aarrggbb)`, a dash for no border.
  public var cacheKey: String {
    KeyText.make(
      "RoundCorners", KeyText.number(radius), "\(corners.rawValue)", KeyText.number(borderWidth),
      borderColor.map(KeyNumber.text) ?? "-")
  }

  func checkParameters() throws(ImageError) {
    try require(radius >= 0 && radius.isFinite, "the radius must be 0 or more, and is \(radius)")
    try require(borderWidth >= 0 && borderWidth.isFinite, "the border must be 0 or wider, and is \(borderWidth)")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    if radius == 0 && borderWidth == 0 { return bitmap }
    return try bitmap.roundingCorners(
      radius: radius, corners: corners.rawValue, borderWidth: borderWidth, borderColor: borderColor, work: work)
  }
}
