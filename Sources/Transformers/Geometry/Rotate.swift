import EaselCore
import EaselPixels
import Glibc

/// Rotates a picture counter-clockwise around its centre.
///
/// Multiples of a quarter turn move pixels without changing them.
struct Rotate: BitmapTransformer {
  /// The angle, more than -π and at most π.
  let radians: Double
  /// True when the canvas takes the size of the rotated picture.
  ///
  /// Otherwise the canvas keeps its size, and parts outside are cut off.
  let fit: Bool

  /// Keeps the angle in its shortest form.
  ///
  /// Whole turns are removed, and angles within 1e-9 of a quarter turn become that quarter turn.
  init(radians: Double, fit: Bool = true) {
    let quarters = Self.quarterTurns(radians)
    self.radians = quarters.map { Double($0) * (.pi / 2) } ?? remainder(radians, 2 * .pi)
    // At 0 and 180 degrees, a picture covers the same area as before.
    self.fit = fit || quarters == 0 || quarters == 2
  }

  /// The number of quarter turns counter-clockwise: -1, 0, 1 or 2; nil for any other angle.
  var quarterTurns: Int? { Self.quarterTurns(radians) }

  /// `Rotate(radians,fit)`.
  var cacheKey: String { KeyText.make("Rotate", KeyText.number(radians), KeyNumber.text(fit)) }

  var isTrivial: Bool { radians == 0 }

  func checkParameters() throws(ImageError) {
    try require(radians.isFinite, "the angle must be a number, but is \(radians)")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    guard let quarters = Self.quarterTurns(radians) else {
      return try bitmap.rotated(radians: radians, fit: fit, work: work)
    }
    let turned = try bitmap.rotated(quarterTurns: quarters, work: work)
    if fit || turned.size == bitmap.size { return turned }
    return try Self.clip(turned, to: bitmap.size, work: work)
  }

  /// Clips a picture to a canvas with swapped sides and the same centre.
  private static func clip(_ bitmap: Bitmap, to canvas: PixelSize, work: WorkContext) throws(ImageError) -> Bitmap {
    let (part, target) = visiblePart(of: bitmap.size, on: canvas)
    let visible = try bitmap.cropped(to: part)
    return try visible.converted(to: visible.format.withAlpha).placed(at: target, on: canvas, background: .clear)
  }

  /// The part of a picture that is seen on a canvas with swapped sides and the same centre, and its place there.
  static func visiblePart(of size: PixelSize, on canvas: PixelSize) -> (part: PixelRect, target: PixelRect) {
    let part = PixelRect(
      x: max(0, (size.width - canvas.width) / 2), y: max(0, (size.height - canvas.height) / 2),
      width: min(size.width, canvas.width), height: min(size.height, canvas.height))
    let target = PixelRect(
      x: (canvas.width - part.width) / 2, y: (canvas.height - part.height) / 2, width: part.width, height: part.height)
    return (part, target)
  }

  /// Returns -1, 0, 1 or 2 quarter turns, nil for any other angle.
  private static func quarterTurns(_ radians: Double) -> Int? {
    guard radians.isFinite else { return nil }
    let angle = remainder(radians, 2 * .pi)
    let quarters = (angle / (.pi / 2)).rounded()
    guard abs(angle - quarters * (.pi / 2)) <= 1e-9 else { return nil }
    return quarters == -2 ? 2 : Int(quarters)
  }
}
