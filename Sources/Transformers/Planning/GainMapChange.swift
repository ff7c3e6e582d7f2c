import EaselCore
import EaselPixels

/// The change of a gain map that belongs to a change of its picture.
indirect enum GainMapChange {
  /// The map stays, because every pixel keeps its place.
  case stays
  /// No map fits the new pixels.
  case isLost
  /// The map is mirrored.
  case flips(horizontally: Bool, vertically: Bool)
  /// The map is turned counter-clockwise.
  case turns(Int)
  /// The map shows another part, or at another size.
  case shows(GainMapView)
  /// One change after another.
  case both(GainMapChange, GainMapChange)

  func applied(to map: GainMap, work: WorkContext) throws(ImageError) -> GainMap? {
    var result = map
    switch self {
    case .stays: break
    case .isLost: return nil
    case .flips(let horizontally, let vertically):
      result.bitmap = try map.bitmap.flipped(horizontally: horizontally, vertically: vertically, work: work)
    case .turns(let quarters):
      result.bitmap = try map.bitmap.rotated(quarterTurns: quarters, work: work)
      if !quarters.isMultiple(of: 2) { result.fullSize = map.fullSize?.transposed }
    case .shows(let view):
      result.bitmap = try view.drawn(map, work: work)
      result.fullSize = nil
    case .both(let first, let second):
      return try first.applied(to: map, work: work).flatMap { (map) throws(ImageError) in
        try second.applied(to: map, work: work)
      }
    }
    return result
  }
}

/// A part of a picture that fills a rectangle of a canvas, from which follows the same for its gain map.
///
/// A map usually has a quarter of the picture's pixels on each side. It keeps that ratio, and edges that fall between
/// its pixels are resampled there, so that the map never shifts against the picture.
struct GainMapView {
  /// The size of the picture before the change.
  let full: PixelSize
  /// The part of the picture that is shown.
  let source: RowResampler.Box
  /// The size of the picture after the change.
  let canvas: PixelSize
  /// The rectangle that the part fills.
  let target: PixelRect
  let filter: Bitmap.ResampleFilter

  init(
    of full: PixelSize, showing source: RowResampler.Box, on canvas: PixelSize, at target: PixelRect? = nil,
    filter: Bitmap.ResampleFilter = .lanczos3
  ) {
    self.full = full
    self.source = source
    self.canvas = canvas
    self.target = target ?? PixelRect(covering: canvas)
    self.filter = filter
  }

  func drawn(_ map: GainMap, work: WorkContext) throws(ImageError) -> Bitmap {
    let (width, x) = Axis(
      full: full.width, start: source.x, length: source.width, canvas: canvas.width, at: target.x, target.width,
      map: map.bitmap.width, stored: map.fullSize?.width
    ).result
    let (height, y) = Axis(
      full: full.height, start: source.y, length: source.height, canvas: canvas.height, at: target.y, target.height,
      map: map.bitmap.height, stored: map.fullSize?.height
    ).result
    let size = PixelSize(width: width, height: height)
    let rect = PixelRect(x: x.target.lowerBound, y: y.target.lowerBound, width: x.target.count, height: y.target.count)
    let box = RowResampler.Box(x: x.start, y: y.start, width: x.length, height: y.length)
    if box == RowResampler.Box(PixelRect(covering: map.bitmap.size)) && rect == PixelRect(covering: size) {
      return try map.bitmap.resized(to: size, filter: filter, work: work)
    }
    var result = try Bitmap(unfilled: size, format: map.bitmap.format)
    // No gain applies to pixels that the picture does not cover.
    if rect != PixelRect(covering: size) { result.fill(map.neutralColor) }
    try map.bitmap.resize(
      within: PixelRect(covering: map.bitmap.size), box: box, into: rect, of: &result, filter: filter, work: work)
    return result
  }

  /// One direction: the sides of the new map, and what it shows of the old one.
  private struct Axis {
    var full: Int
    var start, length: Double
    var canvas, at, covered, map: Int
    /// The side of the map in its file.
    var stored: Int

    init(full: Int, start: Double, length: Double, canvas: Int, at: Int, _ covered: Int, map: Int, stored: Int?) {
      self.stored = stored ?? map
      (self.full, self.start, self.length, self.canvas) = (full, start, length, canvas)
      (self.at, self.covered, self.map) = (at, covered, map)
    }

    var result: (side: Int, (target: Range<Int>, start: Double, length: Double)) {
      let density = Double(map) / Double(full)
      let side = max(1, Int((Double(canvas) * Double(stored) / Double(full)).rounded()))
      let scale = Double(side) / Double(canvas)
      let first = min(side - 1, Int((Double(at) * scale).rounded()))
      let end = min(side, max(first + 1, Int((Double(at + covered) * scale).rounded())))
      // The rectangle has whole pixels, so the part that fills it may be a little larger or smaller than asked for.
      let step = length / Double(covered)
      let from = start + (Double(first) / scale - Double(at)) * step
      let to = start + (Double(end) / scale - Double(at)) * step
      let low = min(max(0, from * density), Double(map) - 1e-6)
      let high = max(low + 1e-6, min(Double(map), to * density))
      return (side, (first..<end, low, high - low))
    }
  }
}

extension GainMap {
  /// The colour of a map that changes nothing.
  fileprivate var neutralColor: PixelColor {
    let value = formula.neutralValue
    func level(_ share: Double) -> UInt8 { UInt8((share * 255).rounded()) }
    return PixelColor(red: level(value.x), green: level(value.y), blue: level(value.z))
  }
}

extension BitmapTransformer {
  /// Makes a picture whose gain map changes with the pixels.
  func applied(to image: Image, work: WorkContext) throws -> Image {
    var result = image
    let step = try image.metadata.color.map { (color) throws(ImageError) in try drawing(in: color, work: work) } ?? self
    result.bitmap = try step.transform(image.bitmap, work: work)
    // The old frames do not match the new picture; callers that want frames transform all of them.
    result.frames = nil
    if let map = image.metadata.gainMap {
      let change = isTrivial ? .stays : try gainMapChange(of: image.size)
      result.metadata.gainMap = try change.applied(to: map, work: work)
    }
    return result
  }

  /// The transformer whose geometry no longer depends on the pixels, so that it is the same for the gain map.
  func decided(for image: Image, work: WorkContext) throws -> any BitmapTransformer {
    guard image.metadata.gainMap != nil else { return self }
    return try (self as? any FirstFrameTransformer)?.fixed(by: image, work: work) as? any BitmapTransformer ?? self
  }
}

// MARK: The changes of each transformer

extension ColorStep {
  func gainMapChange(of size: PixelSize) -> GainMapChange { .stays }
}

extension ColorChain {
  func gainMapChange(of size: PixelSize) -> GainMapChange { .stays }
}

extension Background {
  func gainMapChange(of size: PixelSize) -> GainMapChange { .stays }
}

extension Blur {
  func gainMapChange(of size: PixelSize) -> GainMapChange { .stays }
}

extension Sharpen {
  func gainMapChange(of size: PixelSize) -> GainMapChange { .stays }
}

extension Convolution {
  func gainMapChange(of size: PixelSize) -> GainMapChange { .stays }
}

extension Flip {
  func gainMapChange(of size: PixelSize) -> GainMapChange { .flips(horizontally: horizontal, vertically: vertical) }
}

extension Rotate {
  func gainMapChange(of size: PixelSize) -> GainMapChange {
    guard let quarters = quarterTurns else { return .isLost }
    if fit || quarters.isMultiple(of: 2) || size.width == size.height { return .turns(quarters) }
    let (part, target) = Self.visiblePart(of: size.transposed, on: size)
    let view = GainMapView(of: size.transposed, showing: RowResampler.Box(part), on: size, at: target)
    return .both(.turns(quarters), .shows(view))
  }
}

extension Crop {
  func gainMapChange(of size: PixelSize) throws(ImageError) -> GainMapChange {
    let part = try part(of: size)
    return .shows(GainMapView(of: size, showing: RowResampler.Box(part), on: part.size))
  }
}

extension Resize {
  func gainMapChange(of size: PixelSize) throws(ImageError) -> GainMapChange {
    try ResizeStep(crop: nil, resize: self, fullSize: nil).gainMapChange(of: size)
  }
}

extension ResizeStep {
  func gainMapChange(of size: PixelSize) throws(ImageError) -> GainMapChange {
    let full = fullSize ?? size
    let part = try crop?.part(of: full) ?? PixelRect(covering: full)
    let layout = ResizeLayout(resize, of: part.size)
    var box = layout.source
    box.x += Double(part.x)
    box.y += Double(part.y)
    return .shows(
      GainMapView(of: full, showing: box, on: layout.canvas, at: layout.target, filter: resize.filter))
  }
}

extension Pad {
  func gainMapChange(of size: PixelSize) -> GainMapChange {
    let target = PixelRect(x: left, y: top, width: size.width, height: size.height)
    return .shows(
      GainMapView(of: size, showing: RowResampler.Box(PixelRect(covering: size)), on: canvas(for: size), at: target))
  }
}

extension Extend {
  func gainMapChange(of size: PixelSize) -> GainMapChange {
    let canvas = canvas(for: size)
    let target = gravity.rect(of: size, in: canvas)
    return .shows(GainMapView(of: size, showing: RowResampler.Box(PixelRect(covering: size)), on: canvas, at: target))
  }
}
