import EaselCore
import EaselPixels

/// An optional crop and a resize in one pass, on a picture that may have been decoded at a reduced size.
struct ResizeStep: PlannableTransformer, BitmapTransformer {
  let crop: Crop?
  private(set) var resize: Resize
  /// The size to which crop and resize refer, nil if it is the bitmap's own.
  let fullSize: PixelSize?

  var cacheKey: String { (crop.map { $0.cacheKey + "-" } ?? "") + resize.cacheKey }

  func checkParameters() throws(ImageError) {
    try crop?.checkParameters()
    try resize.checkParameters()
  }

  init(crop: Crop?, resize: Resize, fullSize: PixelSize?) {
    (self.crop, self.resize, self.fullSize) = (crop, resize, fullSize)
  }

  func drawing(in color: ColorDescription, work: WorkContext) throws(ImageError) -> ResizeStep {
    var result = self
    result.resize = try resize.drawing(in: color, work: work)
    return result
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try decided(on: bitmap, work: work).draw(bitmap, work: work)
  }

  private func draw(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    let full = fullSize ?? bitmap.size
    let part = try crop?.part(of: full) ?? PixelRect(covering: full)
    let layout = ResizeLayout(resize, of: part.size)
    try work.limits.check(result: layout.canvas, from: full, madeBy: resize.cacheKey)
    let source = Self.source(layout.source, of: part, in: full, scaledTo: bitmap.size)
    if layout.canvas == source.part.size && !layout.hasBars && source.box == nil {
      return try bitmap.cropped(to: source.part)
    }
    guard layout.hasBars else {
      return try bitmap.resized(
        within: source.part, to: layout.canvas, from: source.box, filter: resize.filter,
        linearLight: averagesLight(layout), work: work)
    }
    return try drawWithBars(bitmap, source, layout, work)
  }

  private func drawWithBars(
    _ bitmap: Bitmap, _ source: (part: PixelRect, box: RowResampler.Box?), _ layout: ResizeLayout, _ work: WorkContext
  ) throws(ImageError) -> Bitmap {
    let format = bitmap.format.withAlpha
    if bitmap.format.layout != format.layout {
      let picture = try bitmap.resized(
        within: source.part, to: layout.target.size, from: source.box, filter: resize.filter,
        linearLight: averagesLight(layout), work: work)
      return try picture.converted(to: format).placed(
        at: layout.target, on: layout.canvas, background: .clear)
    }
    var canvas = try Bitmap(size: layout.canvas, format: format)
    try bitmap.resize(
      within: source.part, box: source.box, into: layout.target, of: &canvas, filter: resize.filter,
      linearLight: averagesLight(layout), work: work)
    return canvas
  }

  private func averagesLight(_ layout: ResizeLayout) -> Bool {
    resize.averagesLight(of: layout.source, filling: layout.target.size)
  }

  /// The whole pixels to read, and the box among them; the box is nil if it covers all of them.
  private static func source(
    _ box: RowResampler.Box, of part: PixelRect, in full: PixelSize, scaledTo size: PixelSize
  ) -> (part: PixelRect, box: RowResampler.Box?) {
    guard size != full else {
      return (part, box == RowResampler.Box(PixelRect(covering: part.size)) ? nil : box)
    }
    let scaledPart = RowResampler.Box(part).scaled(from: full, to: size)
    let whole = scaledPart.enclosingPixels(in: size)
    var scaled = box
    scaled.x += Double(part.x)
    scaled.y += Double(part.y)
    scaled = scaled.scaled(from: full, to: size)
    scaled.x = max(0, scaled.x - Double(whole.x))
    scaled.y = max(0, scaled.y - Double(whole.y))
    scaled.width = min(scaled.width, Double(whole.width) - scaled.x)
    scaled.height = min(scaled.height, Double(whole.height) - scaled.y)
    return (whole, scaled == RowResampler.Box(PixelRect(covering: whole.size)) ? nil : scaled)
  }

  func plan(for size: PixelSize) -> TransformerPipeline.Plan? {
    guard let (part, layout) = layout(for: size), let ratio = resize.fidelity.leastRatio(for: layout.target.size)
    else { return nil }
    // The box filter takes whole pixels only, so it needs more of them to find nearly the same means.
    let factor = resize.filter == .box ? 8.0 : ratio
    let cells = scaleForCells(of: size, in: part.size)
    guard
      let least = Self.leastSize(
        of: size, showing: layout.source, at: layout.target.size, times: factor, forCells: cells)
    else { return nil }
    return TransformerPipeline.Plan(
      leastSize: least, transformer: ResizeStep(crop: crop, resize: resize, fullSize: size))
  }

  /// Lets a drawing that is to be enlarged be drawn at the size of the result.
  func plan(forDrawing size: PixelSize) -> TransformerPipeline.Plan? {
    guard let (_, layout) = layout(for: size) else { return nil }
    guard let larger = Self.largerSize(of: size, showing: layout.source, at: layout.target.size) else {
      return plan(for: size)
    }
    return TransformerPipeline.Plan(
      leastSize: larger, transformer: ResizeStep(crop: crop, resize: resize, fullSize: size))
  }

  private func layout(for size: PixelSize) -> (part: PixelRect, layout: ResizeLayout)? {
    // The nearest filter depends on every pixel, so the picture must not be decoded at another size.
    guard resize.filter != .nearest, !size.isEmpty, (try? checkParameters()) != nil,
      let part = try? crop?.part(of: size) ?? PixelRect(covering: size)
    else { return nil }
    return (part, ResizeLayout(resize, of: part.size))
  }

  /// The size at which the used part of a drawing has as many pixels as the result on each side; nil if that is not
  /// larger than its own.
  ///
  /// Of a small part that is made large, the whole drawing would be many times as large as the result. It is drawn with
  /// at most four times as many pixels then, and so is a little less sharp.
  private static func largerSize(of full: PixelSize, showing box: RowResampler.Box, at target: PixelSize) -> PixelSize?
  {
    let (width, height) = (Double(full.width), Double(full.height))
    let area = Double(target.width) * Double(target.height)
    let mostPixels = max(area, min(4 * area, 16_777_216))
    let scale = min(
      max(Double(target.width) / box.width, Double(target.height) / box.height),
      (mostPixels / (width * height)).squareRoot(), 16_384 / max(width, height))
    guard scale > 1 else { return nil }
    return PixelSize(width: Int((width * scale).rounded()), height: Int((height * scale).rounded()))
  }

  /// The least size at which the used part has this many times as many pixels as the result on each side, and at which
  /// the map of a smart crop has four pixels for each cell.
  ///
  /// Nil if that is almost the full size.
  private static func leastSize(
    of full: PixelSize, showing box: RowResampler.Box, at target: PixelSize, times factor: Double,
    forCells cells: Double
  ) -> PixelSize? {
    let scale = max(factor * Double(target.width) / box.width, factor * Double(target.height) / box.height, cells)
    guard scale < Fidelity.mostUsefulScale else { return nil }
    // No `Int` holds the largest one rounded to a `Double`.
    func side(_ full: Int) -> Int { min(full, Int(exactly: (Double(full) * scale).rounded(.up)) ?? full) }
    return PixelSize(width: side(full.width), height: side(full.height))
  }
}

extension RowResampler.Box {
  func scaled(from full: PixelSize, to size: PixelSize) -> RowResampler.Box {
    let horizontal = Double(size.width) / Double(full.width)
    let vertical = Double(size.height) / Double(full.height)
    return RowResampler.Box(x: x * horizontal, y: y * vertical, width: width * horizontal, height: height * vertical)
  }

  func enclosingPixels(in size: PixelSize) -> PixelRect {
    let left = min(Int(x), size.width - 1)
    let top = min(Int(y), size.height - 1)
    let right = max(left + 1, min(size.width, Int((x + width).rounded(.up))))
    let bottom = max(top + 1, min(size.height, Int((y + height).rounded(.up))))
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }
}
