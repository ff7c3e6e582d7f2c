import EaselCore
import EaselPixels

/// Lays another picture over a picture, as a watermark.
///
/// Its name stands for the other picture in keys: two pictures need two names.
public struct Overlay: BitmapTransformer {
  /// The name of the picture that is laid over.
  public let name: String
  /// The picture that is laid over.
  public let picture: Bitmap
  /// Where it is laid.
  public let anchor: OverlayAnchor
  /// The columns between it and the side; in the middle, how far it is moved to the right.
  public let insetX: Int
  /// The rows between it and the side; in the middle, how far it is moved down.
  public let insetY: Int
  /// How much of it is seen, from 0 to 1.
  public let opacity: Double
  /// How it is laid over.
  public let mode: BlendMode

  /// Creates an overlay.
  public init(
    _ picture: Bitmap, name: String, anchor: OverlayAnchor = .bottomRight, insetX: Int = 0, insetY: Int = 0,
    opacity: Double = 1, mode: BlendMode = .normal
  ) {
    self.name = name
    self.picture = picture
    self.anchor = anchor
    self.insetX = insetX
    self.insetY = insetY
    self.opacity = opacity
    self.mode = mode
  }

  /// `Overlay(name,anchor,{insetX,insetY},opacity,mode)`.
  ///
  /// In the name everything but letters, digits, dots and underscores is written as `%` and two digits.
  public var cacheKey: String {
    KeyText.make(
      "Overlay", KeyText.name(name), "\(anchor.rawValue)", KeyText.list(insetX, insetY), KeyText.number(opacity),
      "\(mode.rawValue)")
  }

  func checkParameters() throws(ImageError) {
    try require(!name.isEmpty, "the picture that is laid over needs a name")
    try require(opacity >= 0 && opacity <= 1, "the opacity must be from 0 to 1, and is \(opacity)")
    let reach = -1_000_000_000...1_000_000_000
    try require(reach.contains(insetX) && reach.contains(insetY), "the insets are too large")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.overlaid(
      with: picture, x: Self.start(anchor.column, insetX, bitmap.width, picture.width),
      y: Self.start(anchor.row, insetY, bitmap.height, picture.height), mode: mode, opacity: opacity, work: work)
  }

  private static func start(_ third: Int, _ inset: Int, _ side: Int, _ length: Int) -> Int {
    switch third {
    case 0: inset
    case 1: (side - length) / 2 + inset
    default: side - length - inset
    }
  }

  /// Whether both have the same key, which names the picture too.
  public static func == (left: Overlay, right: Overlay) -> Bool { left.cacheKey == right.cacheKey }

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
}
