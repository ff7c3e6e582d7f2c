import EaselCore
import EaselPixels

/// The parts of source and result that a resize maps to each other.
struct ResizeLayout: Hashable {
  /// The size of the result.
  var canvas: PixelSize
  /// The part of the result that the picture covers.
  var target: PixelRect
  /// The part of the picture that is used.
  var source: RowResampler.Box

  init(canvas: PixelSize, target: PixelRect, source: RowResampler.Box) {
    self.canvas = canvas
    self.target = target
    self.source = source
  }

  init(_ resize: Resize, of picture: PixelSize) {
    if !resize.rule.isMet(by: resize.size, picture) {
      self.init(resize, by: resize.rule, of: picture)
      return
    }
    let canvas = Self.canvas(resize, of: picture)
    self.init(
      canvas: canvas, target: PixelRect(covering: canvas), source: RowResampler.Box(PixelRect(covering: picture)))
    switch resize.mode {
    case .force, .fit, .scaleDown: break
    case .pad: fit(picture, resize.gravity)
    case .fill: cover(picture, resize.gravity)
    }
  }

  var hasBars: Bool { target.size != canvas }

  private mutating func fit(_ picture: PixelSize, _ gravity: TransformerPipeline.Gravity) {
    target = gravity.rect(of: Self.size(of: picture, inside: canvas), in: canvas)
  }

  private mutating func cover(_ picture: PixelSize, _ gravity: TransformerPipeline.Gravity) {
    if Self.isWider(picture, than: canvas) {
      source.width = Double(picture.height) * Double(canvas.width) / Double(canvas.height)
      source.x = gravity.x(
        of: source.width, in: Double(picture.width), pixel: Double(picture.height) / Double(canvas.height))
    } else {
      source.height = Double(picture.width) * Double(canvas.height) / Double(canvas.width)
      source.y = gravity.y(
        of: source.height, in: Double(picture.height), pixel: Double(picture.width) / Double(canvas.width))
    }
  }

  private static func canvas(_ resize: Resize, of picture: PixelSize) -> PixelSize {
    let size = resize.size
    if resize.mode == .scaleDown {
      let fits = (size.width == 0 || picture.width <= size.width) && (size.height == 0 || picture.height <= size.height)
      if fits { return picture }
    }
    if size.width == 0 {
      return PixelSize(width: scaled(picture.width, by: size.height, over: picture.height), height: size.height)
    }
    if size.height == 0 {
      return PixelSize(width: size.width, height: scaled(picture.height, by: size.width, over: picture.width))
    }
    return resize.mode == .fit || resize.mode == .scaleDown ? self.size(of: picture, inside: size) : size
  }

  /// The largest size with the picture's aspect ratio that fits into the box.
  private static func size(of picture: PixelSize, inside box: PixelSize) -> PixelSize {
    isWider(picture, than: box)
      ? PixelSize(width: box.width, height: scaled(picture.height, by: box.width, over: picture.width))
      : PixelSize(width: scaled(picture.width, by: box.height, over: picture.height), height: box.height)
  }

  private static func isWider(_ picture: PixelSize, than canvas: PixelSize) -> Bool {
    let left = picture.width.multipliedFullWidth(by: canvas.height)
    let right = canvas.width.multipliedFullWidth(by: picture.height)
    return (left.high, left.low) >= (right.high, right.low)
  }

  /// Rounds to nearest, to at least 1.
  ///
  /// An overflow gives a size that the limits refuse.
  private static func scaled(_ side: Int, by numerator: Int, over denominator: Int) -> Int {
    guard side > 0, numerator > 0, denominator > 0 else { return .max }
    let product = UInt(side).multipliedFullWidth(by: UInt(numerator))
    let denominator = UInt(denominator)
    guard product.high < denominator else { return .max }
    let (quotient, remainder) = denominator.dividingFullWidth(product)
    guard quotient < Int.max else { return .max }
    return max(1, Int(remainder >= denominator - remainder ? quotient + 1 : quotient))
  }
}
