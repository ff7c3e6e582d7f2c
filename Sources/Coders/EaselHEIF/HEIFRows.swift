import EaselCoding
import EaselCore
import EaselPixels

/// Makes pixels from the rows of a picture a few at a time, crops them, and reduces them on the way.
struct HEIFRows {
  let bands: HEIFBands
  let alpha: HEIFAlpha?
  let crop: PixelRect
  let format: PixelFormat
  let target: PixelSize
  /// The size of the planes whose light is averaged; nil if their numbers are.
  var lightFrom: PixelSize?
  /// The weights that compute red, green and blue from the stored samples.
  let weights: [Float]
  let work: WorkContext

  private var size: PixelSize { bands.layout.size }
  private var isWide: Bool { format.layout == .rgba16 }

  /// The picture at the size of the target.
  func bitmap() throws(ImageError) -> Bitmap {
    if target != crop.size, alpha == nil, !isWide,
      let reduction = try HEIFReduction(bands, crop: crop, to: lightFrom ?? target, isLast: lightFrom == nil)
    {
      let bitmap = try reduction.bitmap(weights: weights, work: work)
      return lightFrom == nil ? bitmap : try bitmap.resized(to: target, linearLight: true, work: work)
    }
    // A step takes the rows of about a quarter of a million pixels.
    let rowsAtOnce = max(16, CancellationPace.lines(of: size.width) & ~1)
    return try RowStrips(
      of: size, crop: crop, format: format, target: target, averagesLight: lightFrom != nil, rowsAtOnce: rowsAtOnce,
      work: work
    ).bitmap(write)
  }

  /// Writes rows up to the end of a band.
  private func write(_ strip: RowStrips.Strip) throws(ImageError) -> Int {
    let first = strip.rows.lowerBound
    while first >= bands.rows.upperBound { try bands.advance() }
    let rows = first..<min(strip.rows.upperBound, bands.rows.upperBound, try alpha?.rows(from: first) ?? .max)
    try bands.withPlanes { (planes, start) throws(ImageError) in
      try planes.writeRGBA(
        rows.lowerBound - start..<rows.upperBound - start, weights: weights, isWide: isWide, to: strip.start,
        bytesPerRow: strip.bytesPerRow)
    }
    try alpha?.write(rows, isWide: isWide, to: strip.start, bytesPerRow: strip.bytesPerRow)
    return rows.count
  }
}
