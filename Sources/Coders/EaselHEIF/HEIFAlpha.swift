import EaselCoding
import EaselCore
import EaselPixels

/// The alpha of a picture, which the file stores as a grey picture.
final class HEIFAlpha {
  let bands: HEIFBands
  private let size: PixelSize
  private let isFullRange: Bool
  private let work: WorkContext
  /// The alpha scaled to the size of the picture; nil if the sizes are equal.
  private var fitted: Bitmap?

  init(_ bands: HEIFBands, for size: PixelSize, isFullRange: Bool, work: WorkContext) {
    self.bands = bands
    self.size = size
    self.isFullRange = isFullRange
    self.work = work
  }

  private var isFitting: Bool { bands.layout.size == size }

  /// The first row after the rows that can be written from `y` on.
  func rows(from y: Int) throws(ImageError) -> Int {
    guard isFitting else {
      if fitted == nil { fitted = try fit() }
      return size.height
    }
    while y >= bands.rows.upperBound { try bands.advance() }
    return bands.rows.upperBound
  }

  func write(
    _ rows: Range<Int>, isWide: Bool, to target: UnsafeMutableRawPointer, bytesPerRow: Int
  ) throws(ImageError) {
    if let fitted {
      copy(fitted, rows, isWide, target, bytesPerRow)
      return
    }
    let (scale, offset) = scaling(isWide)
    try bands.withPlanes { (planes, first) throws(ImageError) in
      planes.writeAlpha(
        rows.lowerBound - first..<rows.upperBound - first, scale: scale, offset: offset, isWide: isWide, to: target,
        bytesPerRow: bytesPerRow)
    }
  }

  private func scaling(_ isWide: Bool) -> (scale: Float, offset: Float) {
    let most: Float = isWide ? 65_535 : 255
    let depth = bands.layout.sequence.bitDepth
    guard !isFullRange else { return (most / Float(1 << depth - 1), 0) }
    let step = Float(1 << (depth - 8))
    return (most / (219 * step), -16 * most / 219)
  }

  private func fit() throws(ImageError) -> Bitmap {
    let layout = bands.layout
    let weight = { (isWide: Bool) -> [Float] in
      let (scale, offset) = self.scaling(isWide)
      let row = [scale, 0, 0, offset]
      return row + row + row
    }
    let rows = HEIFRows(
      bands: bands, alpha: nil, crop: PixelRect(covering: layout.size), format: PixelFormat(.rgba16, alpha: .opaque),
      target: size,
      weights: weight(true), work: work)
    return try rows.bitmap()
  }

  private func copy(
    _ bitmap: Bitmap, _ rows: Range<Int>, _ isWide: Bool, _ target: UnsafeMutableRawPointer, _ bytesPerRow: Int
  ) {
    bitmap.withUnsafeBytes { bytes in
      for y in rows {
        let row = target + (y - rows.lowerBound) * bytesPerRow
        for x in 0..<size.width {
          let value = bytes.load(fromByteOffset: y * bitmap.bytesPerRow + 8 * x, as: UInt16.self)
          if isWide {
            row.storeBytes(of: value, toByteOffset: 8 * x + 6, as: UInt16.self)
          } else {
            row.storeBytes(of: UInt8((UInt32(value) + 128) / 257), toByteOffset: 4 * x + 3, as: UInt8.self)
          }
        }
      }
    }
  }
}
