import EaselCore
import EaselPixels

/// Blurs parts of a picture, each of which then shows nothing of what was there.
struct AreaBlur: Transformer {
  /// A rectangle in shares of the picture's sides.
  struct Area: Hashable, Sendable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    /// The same part of a picture that was turned by quarters.
    func turned(clockwise quarters: Int) -> Area {
      var area = self
      for _ in 0..<quarters {
        area = Area(x: 1 - area.y - area.height, y: area.x, width: area.height, height: area.width)
      }
      return area
    }

    /// The same part of a picture that was mirrored.
    func flipped(_ flips: (horizontal: Bool, vertical: Bool)) -> Area {
      Area(
        x: flips.horizontal ? 1 - x - width : x, y: flips.vertical ? 1 - y - height : y, width: width, height: height)
    }

    /// The pixels of a picture that lie in the area, be it in part.
    func rect(in size: PixelSize) -> PixelRect {
      func span(_ start: Double, _ length: Double, _ full: Int) -> Range<Int> {
        let first = max(0, Int((start * Double(full) + 1e-6).rounded(.down)))
        return first..<max(first, min(full, Int(((start + length) * Double(full) - 1e-6).rounded(.up))))
      }
      let (columns, rows) = (span(x, width, size.width), span(y, height, size.height))
      return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }
  }

  /// The standard deviation in pixels.
  let deviation: Double
  let areas: [Area]

  /// `AreaBlur(deviation,{x,y,width,height},...)`.
  var cacheKey: String {
    "AreaBlur(\(deviation)\(areas.map { ",{\($0.x),\($0.y),\($0.width),\($0.height)}" }.joined()))"
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    var bitmap = image.bitmap
    // Over transparent pixels, nothing of the sharp ones must stay.
    let mode: Bitmap.BlendMode = bitmap.format.alpha == .opaque ? .normal : .copy
    for area in areas {
      try work.checkCancellation()
      let rect = area.rect(in: image.size)
      if rect.isEmpty { continue }
      let part = try bitmap.cropped(to: rect).blurred(radius: deviation, work: work)
      bitmap = try bitmap.overlaid(with: part, x: rect.x, y: rect.y, mode: mode, work: work)
    }
    return Image(bitmap)
  }
}
