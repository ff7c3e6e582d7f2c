import EaselColor
import EaselCore
import EaselPixels

/// Draws another picture over a picture, for instance a watermark.
///
/// In cache keys, the name stands for the other picture, so different pictures need different names.
struct Overlay: BitmapTransformer {
  /// The name of the overlaid picture.
  let name: String
  /// The overlaid picture.
  let picture: Bitmap
  /// The position of the overlaid picture.
  let anchor: TransformerPipeline.OverlayAnchor
  /// The distance in pixels from the left or right side; for centred anchors, the shift to the right.
  let insetX: Int
  /// The distance in pixels from the top or bottom; for centred anchors, the shift down.
  let insetY: Int
  /// The opacity of the overlaid picture, from 0 to 1.
  let opacity: Double
  /// The way the overlaid picture is blended.
  let mode: Bitmap.BlendMode

  /// `Overlay(name,anchor,{insetX,insetY},opacity,mode)`.
  ///
  /// In the name, all characters except letters, digits, dots and underscores are written as `%` and two digits.
  var cacheKey: String {
    KeyText.make(
      "Overlay", KeyText.name(name), "\(anchor.rawValue)", KeyText.list(insetX, insetY), KeyText.number(opacity),
      "\(mode.rawValue)")
  }

  func checkParameters() throws(ImageError) {
    try require(!name.isEmpty, "the overlay needs a name")
    try require(opacity >= 0 && opacity <= 1, "the opacity must be from 0 to 1, but is \(opacity)")
    let reach = -1_000_000_000...1_000_000_000
    try require(reach.contains(insetX) && reach.contains(insetY), "the insets are too large")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.overlaid(
      with: picture, x: Self.start(anchor.column, insetX, bitmap.width, picture.width),
      y: Self.start(anchor.row, insetY, bitmap.height, picture.height), mode: mode, opacity: opacity, work: work)
  }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Overlay {
    Overlay(
      name: name, picture: try picture.drawn(in: description, work: work), anchor: anchor, insetX: insetX,
      insetY: insetY, opacity: opacity, mode: mode)
  }

  /// The same overlay with its insets multiplied.
  func scaled(by factor: Double) -> Overlay {
    Overlay(
      name: name, picture: picture, anchor: anchor, insetX: insetX.scaled(by: factor),
      insetY: insetY.scaled(by: factor), opacity: opacity, mode: mode)
  }

  private static func start(_ third: Int, _ inset: Int, _ side: Int, _ length: Int) -> Int {
    switch third {
    case 0: inset
    case 1: (side - length) / 2 + inset
    default: side - length - inset
    }
  }

  /// Compares the keys, which also name the overlaid pictures.
  static func == (left: Overlay, right: Overlay) -> Bool { left.cacheKey == right.cacheKey }

  /// Hashes the key.
  func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
}
