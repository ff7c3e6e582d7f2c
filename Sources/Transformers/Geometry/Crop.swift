import EaselCore
import EaselPixels

/// Cuts a rectangle out of a picture.
struct Crop: PlannableTransformer, BitmapTransformer {
  /// The part of a picture that stays.
  let area: CropArea

  /// Creates a crop to a rectangle; parts of it at negative coordinates are removed.
  init(_ rect: PixelRect) {
    let everything = PixelRect(x: 0, y: 0, width: .max, height: .max)
    let visible = rect.intersection(everything)
    // All empty rectangles are the same, and are refused later.
    area = .rect(visible.isEmpty ? PixelRect(x: 0, y: 0, width: 0, height: 0) : visible)
  }

  /// Creates a crop to an area that follows from the size of the picture.
  init(_ area: CropArea) { self.area = area }

  /// The key: `Crop({x,y,width,height})`, `CropSize({width,height},gravity)`, `CropShare({x,y,width,height})`,
  /// `CropRatio(ratio,gravity)` or `CropShape({width,height},ratio,enlarges,gravity)`.
  var cacheKey: String {
    switch area {
    case .rect(let rect): KeyText.make("Crop", KeyText.list(rect.x, rect.y, rect.width, rect.height))
    case .size(let width, let height, let gravity):
      KeyText.make("CropSize", "{\(width.keyText),\(height.keyText)}", gravity.keyText)
    case .shares(let x, let y, let width, let height):
      KeyText.make("CropShare", "{\([x, y, width, height].map(KeyText.number).joined(separator: ","))}")
    case .ratio(let ratio, let gravity): KeyText.make("CropRatio", KeyText.number(ratio), gravity.keyText)
    case .shape(let width, let height, let ratio, let enlarges, let gravity):
      KeyText.make(
        "CropShape", "{\(width.keyText),\(height.keyText)}", KeyText.number(ratio), KeyNumber.text(enlarges),
        gravity.keyText)
    }
  }

  var isTrivial: Bool { area.isWhole }

  func checkParameters() throws(ImageError) {
    switch area {
    case .rect(let rect): try require(!rect.isEmpty, "the rectangle must have pixels right of and below the origin")
    case .size(let width, let height, let gravity):
      try check(side: width)
      try check(side: height)
      try require(width != .pixels(0) || height != .pixels(0), "at least one side must be given, but both are 0")
      try check(gravity)
    case .shares(let x, let y, let width, let height):
      try require(
        x >= 0 && x < 1 && y >= 0 && y < 1, "the corner must be from 0 to less than 1 on both axes, but is \(x), \(y)")
      // Sums of decimal shares may exceed 1 by a rounding error.
      let most = 1 + 1e-9
      try require(
        width > 0 && x + width <= most && height > 0 && y + height <= most,
        "the sides must be above 0 and end inside the picture, but are \(width) and \(height)")
    case .ratio(let ratio, let gravity):
      try check(ratio: ratio)
      try check(gravity)
    case .shape(let width, let height, let ratio, _, let gravity):
      try check(side: width)
      try check(side: height)
      try check(ratio: ratio)
      try check(gravity)
    }
  }

  private func check(side: TransformerPipeline.Length) throws(ImageError) {
    switch side {
    case .pixels(let count): try require(count >= 0, "no side may be negative, but one is \(count)")
    case .share(let share):
      try require(share > 0 && share <= 1, "a side as a share must be above 0 and at most 1, but is \(share)")
    }
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    let part = try decided(on: bitmap, size: bitmap.size, work: work).part(of: bitmap.size)
    try work.limits.check(result: part.size, from: bitmap.size, madeBy: cacheKey)
    return try bitmap.cropped(to: part)
  }

  func part(of size: PixelSize) throws(ImageError) -> PixelRect {
    let part = area.part(of: size)
    try require(!part.isEmpty, "the rectangle lies outside the picture, which is \(size)")
    return part
  }

  /// Merges with a following resize, which then reads straight from the uncropped picture.
  func merged(with next: any Transformer) -> (any Transformer)? {
    guard let resize = next as? Resize else { return nil }
    return ResizeStep(crop: self, resize: resize, fullSize: nil)
  }
}
