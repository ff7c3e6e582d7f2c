import EaselColor
import EaselCore
import EaselPixels

/// Draws another picture once over a picture, or repeats it all over.
///
/// In cache keys, the name stands for the other picture, so different pictures need different names.
struct Watermark: BitmapTransformer {
  /// The gaps between repeated pictures.
  struct Gaps: Hashable {
    let x: TransformerPipeline.Length
    let y: TransformerPipeline.Length

    /// Creates gaps; no gap has a unit.
    init(x: TransformerPipeline.Length, y: TransformerPipeline.Length) {
      self.x = x == .share(0) ? .pixels(0) : x
      self.y = y == .share(0) ? .pixels(0) : y
    }
  }

  /// The name of the watermark.
  let name: String
  /// The picture of the watermark.
  let picture: WatermarkImage
  /// The place of the watermark, or of one of the repeated ones.
  let gravity: TransformerPipeline.Gravity
  /// The opacity, from 0 to 1.
  let opacity: Double
  /// The share of the picture's width into which the watermark is fitted; zero if its width follows from its height.
  let scaleX: Double
  /// The share of the picture's height into which the watermark is fitted; with two zeros it has its own size.
  let scaleY: Double
  /// The gaps between repeated watermarks, nil for a single one.
  let gaps: Gaps?

  /// `Watermark(name,gravity,opacity,scale)`, with two different scales as `{x,y}`; if it is repeated, the gaps follow as
  /// `{x,y}`.
  var cacheKey: String {
    let scale =
      scaleX == scaleY ? KeyText.number(scaleX) : "{\(KeyText.number(scaleX)),\(KeyText.number(scaleY))}"
    let parts = [KeyText.name(name), gravity.keyText, KeyText.number(opacity), scale]
    let space = gaps.map { ["{\($0.x.keyText),\($0.y.keyText)}"] } ?? []
    return "Watermark(\((parts + space).joined(separator: ",")))"
  }

  var isTrivial: Bool { opacity == 0 }

  func checkParameters() throws(ImageError) {
    try require(!name.isEmpty, "the watermark needs a name")
    try require(opacity >= 0 && opacity <= 1, "the opacity must be from 0 to 1, but is \(opacity)")
    for scale in [scaleX, scaleY] {
      try require(scale >= 0 && scale <= 1, "the scale must be from 0 to 1, but is \(scale)")
    }
    try check(gravity)
    guard let gaps else { return }
    for gap in [gaps.x, gaps.y] {
      switch gap {
      case .pixels(let count):
        try require(
          (0...Self.widestGap).contains(count), "a gap must be from 0 to \(Self.widestGap) pixels, but is \(count)")
      case .share(let share):
        try require(share >= 0 && share <= 1, "a gap as a share must be from 0 to 1, but is \(share)")
      }
    }
  }

  private static let widestGap = 1_000_000_000

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    if isTrivial { return bitmap }
    let mark = try picture.resized(to: size(on: bitmap.size), work: work)
    let place = gravity.rect(of: mark.size, in: bitmap.size)
    guard let gaps else {
      return try bitmap.overlaid(with: mark, x: place.x, y: place.y, opacity: opacity, work: work)
    }
    return try bitmap.overlaid(
      with: mark, columns: Self.starts(through: place.x, mark.width, gaps.x, in: bitmap.width),
      rows: Self.starts(through: place.y, mark.height, gaps.y, in: bitmap.height), opacity: opacity, work: work)
  }

  /// The size of the watermark on a picture, which it never exceeds.
  private func size(on canvas: PixelSize) -> PixelSize {
    // If one side alone is given, the picture still bounds the other.
    func side(_ full: Int, _ scale: Double) -> Int { scale == 0 ? full : max(1, Int((Double(full) * scale).rounded())) }
    let fitted =
      scaleX > 0 || scaleY > 0
      ? Resize(PixelSize(width: side(canvas.width, scaleX), height: side(canvas.height, scaleY)), mode: .fit)
      : Resize(canvas, mode: .scaleDown)
    return ResizeLayout(fitted, of: picture.original.size).canvas
  }

  /// The starts of repeated watermarks along one side, among them the given one.
  private static func starts(
    through start: Int, _ length: Int, _ gap: TransformerPipeline.Length, in full: Int
  ) -> StrideTo<Int> {
    let step = length + Int(gap.pixels(of: Double(full)).rounded())
    let first = start % step
    return stride(from: first == 0 ? 0 : first - step, to: full, by: step)
  }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Watermark {
    Watermark(
      name: name, picture: WatermarkImage(try picture.original.drawn(in: description, work: work)), gravity: gravity,
      opacity: opacity, scaleX: scaleX, scaleY: scaleY, gaps: gaps)
  }

  /// The same watermark with its insets and gaps multiplied.
  func scaled(by factor: Double) -> Watermark {
    Watermark(
      name: name, picture: picture, gravity: gravity.scaled(by: factor), opacity: opacity, scaleX: scaleX,
      scaleY: scaleY, gaps: gaps.map { Gaps(x: $0.x.scaled(by: factor), y: $0.y.scaled(by: factor)) })
  }

  /// Compares the keys, which also name the watermarks.
  static func == (left: Watermark, right: Watermark) -> Bool { left.cacheKey == right.cacheKey }

  /// Hashes the key.
  func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
}
