import EaselCore

/// The part of a picture that a crop keeps.
enum CropArea: Hashable {
  /// A rectangle, measured from the top left corner; parts of it outside the picture are ignored.
  case rect(PixelRect)
  /// A size, no larger than the picture; a side of 0 pixels is the picture's own.
  case size(TransformerPipeline.Length, TransformerPipeline.Length, TransformerPipeline.Gravity)
  /// The same, made smaller or larger to have this ratio of width to height.
  case shape(
    TransformerPipeline.Length, TransformerPipeline.Length, ratio: Double, enlarges: Bool, TransformerPipeline.Gravity)
  /// A rectangle whose distances and sides are shares of the picture's sides.
  case shares(x: Double, y: Double, width: Double, height: Double)
  /// The largest part with this ratio of width to height.
  case ratio(Double, TransformerPipeline.Gravity)

  /// True if every picture is kept whole.
  var isWhole: Bool {
    switch self {
    case .size(let width, let height, _): width == .share(1) && height == .share(1)
    case .shares(let x, let y, let width, let height): x == 0 && y == 0 && width == 1 && height == 1
    case .rect, .ratio, .shape: false
    }
  }

  /// The part of a picture of this size, empty if the picture has none of it.
  func part(of size: PixelSize) -> PixelRect {
    if size.isEmpty { return PixelRect(covering: size) }
    switch self {
    case .rect(let rect): return rect.intersection(PixelRect(covering: size))
    case .size(let width, let height, let gravity):
      let part = PixelSize(
        width: Self.side(width, of: size.width), height: Self.side(height, of: size.height))
      return gravity.rect(of: part, in: size)
    case .shape(let width, let height, let ratio, let enlarges, let gravity):
      let sides = (x: Double(Self.side(width, of: size.width)), y: Double(Self.side(height, of: size.height)))
      // The side that stays is the shorter one, measured by the ratio, unless the part becomes larger.
      let wide = (sides.x > sides.y * ratio) == enlarges ? sides.x : sides.y * ratio
      let most = min(wide, Double(size.width), Double(size.height) * ratio)
      let part = PixelSize(
        width: Self.rounded(most, to: 1...size.width), height: Self.rounded(most / ratio, to: 1...size.height))
      return gravity.rect(of: part, in: size)
    case .shares(let x, let y, let width, let height):
      let columns = Self.span(from: x, to: x + width, of: size.width)
      let rows = Self.span(from: y, to: y + height, of: size.height)
      return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    case .ratio(let ratio, let gravity):
      let (width, height) = (Double(size.width), Double(size.height))
      let part =
        width > height * ratio
        ? PixelSize(width: Self.rounded(height * ratio, to: 1...size.width), height: size.height)
        : PixelSize(width: size.width, height: Self.rounded(width / ratio, to: 1...size.height))
      return gravity.rect(of: part, in: size)
    }
  }

  private static func side(_ length: TransformerPipeline.Length, of full: Int) -> Int {
    switch length {
    case .pixels(let count): count == 0 ? full : min(count, full)
    case .share(let share): rounded(share * Double(full), to: 1...full)
    }
  }

  /// The whole pixels between two shares, at least one; neighbouring shares give neighbouring pixels.
  private static func span(from start: Double, to end: Double, of full: Int) -> Range<Int> {
    let first = rounded(start * Double(full), to: 0...(full - 1))
    return first..<rounded(end * Double(full), to: (first + 1)...full)
  }

  private static func rounded(_ value: Double, to range: ClosedRange<Int>) -> Int {
    // The bounds may be larger than any number that converts back.
    value >= Double(range.upperBound)
      ? range.upperBound : value <= Double(range.lowerBound) ? range.lowerBound : Int(value.rounded())
  }
}
