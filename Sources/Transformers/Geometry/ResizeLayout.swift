import EaselCore
import EaselPixels

/// Which part of a picture goes where when it is resized.
struct ResizeLayout: Hashable {
  /// The size of the result.
  var canvas: PixelSize
  /// The part of the result that is covered.
  var target: PixelRect
  /// The part of the picture that is shown.
  var source: PixelBox

  init(_ resize: Resize, of picture: PixelSize) {
    canvas = Self.canvas(resize.size, of: picture)
    target = PixelRect(covering: canvas)
    source = PixelBox(PixelRect(covering: picture))
    switch resize.mode {
    case .fill: break
    case .aspectFit: fit(picture)
    case .aspectFill: cover(picture)
    }
  }

  var hasBars: Bool { target.size != canvas }

  private mutating func fit(_ picture: PixelSize) {
    let size =
      Self.isWider(picture, than: canvas)
      ? PixelSize(width: canvas.width, height: Self.scaled(picture.height, by: canvas.width, over: picture.width))
      : PixelSize(width: Self.scaled(picture.width, by: canvas.height, over: picture.height), height: canvas.height)
    target = PixelRect(
      x: (canvas.width - size.width) / 2, y: (canvas.height - size.height) / 2, width: size.width, height: size.height)
  }

  private mutating func cover(_ picture: PixelSize) {
    if Self.isWider(picture, than: canvas) {
      source.width = Double(picture.height) * Double(canvas.width) / Double(canvas.height)
      source.x = (Double(picture.width) - source.width) / 2
    } else {
      source.height = Double(picture.width) * Double(canvas.height) / Double(canvas.width)
      source.y = (Double(picture.height) - source.height) / 2
    }
  }

  private static func canvas(_ size: PixelSize, of picture: PixelSize) -> PixelSize {
    if size.width == 0 {
      return PixelSize(width: scaled(picture.width, by: size.height, over: picture.height), height: size.height)
    }
    if size.height == 0 {
      return PixelSize(width: size.width, height: scaled(picture.height, by: size.width, over: picture.width))
    }
    return size
  }

  private static func isWider(_ picture: PixelSize, than canvas: PixelSize) -> Bool {
    let left = picture.width.multipliedFullWidth(by: canvas.height)
    let right = canvas.width.multipliedFullWidth(by: picture.height)
    return (left.high, left.low) >= (right.high, right.low)
  }

  /// Rounded to nearest and at least 1; what does not fit is left to the limits to refuse.
  private static func scaled(_ side: Int, by numerator: Int, over denominator: Int) -> Int {
    let product = side.multipliedFullWidth(by: numerator)
    guard product.high < denominator else { return .max }
    let (quotient, remainder) = denominator.dividingFullWidth(product)
    return max(1, remainder >= denominator - remainder ? quotient + 1 : quotient)
  }
}
