import CEaselPixels
import EaselCore
import Glibc

extension Bitmap {
  /// Returns the picture mirrored.
  ///
  /// ```swift
  /// let mirrored = try bitmap.flipped(horizontally: true, vertically: false)
  /// ```
  public func flipped(
    horizontally: Bool, vertically: Bool, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    guard horizontally || vertically else { return self }
    var result = try Bitmap(unfilled: size, format: format)
    let (kernel, width, height) = (format.kernel, width, height)
    let (bytesPerRow, targetBytesPerRow) = (bytesPerRow, result.bytesPerRow)
    try withBandPixels(writing: &result) { pixels throws(ImageError) in
      try ParallelBands.run(of: height, length: width, work: work) { rows in
        let targetRow = vertically ? height - rows.upperBound : rows.lowerBound
        easel_flip(
          kernel, horizontally, vertically, pixels.source + rows.lowerBound * bytesPerRow, bytesPerRow,
          pixels.target + targetRow * targetBytesPerRow, targetBytesPerRow, width, rows.count)
      }
    }
    return result
  }

  /// Returns the picture rotated counter-clockwise by quarter turns, without loss.
  public func rotated(quarterTurns: Int, work: WorkContext = WorkContext()) throws(ImageError) -> Bitmap {
    switch ((quarterTurns % 4) + 4) % 4 {
    case 1: try oriented(.left, work: work)
    case 2: try oriented(.down, work: work)
    case 3: try oriented(.right, work: work)
    default: self
    }
  }

  /// Returns the picture upright; `orientation` is the one with which it is stored.
  ///
  /// ```swift
  /// let upright = try bitmap.oriented(image.metadata.orientation)
  /// ```
  public func oriented(
    _ orientation: ImageMetadata.Orientation, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    switch orientation {
    case .up: return self
    case .upMirrored: return try flipped(horizontally: true, vertically: false, work: work)
    case .down: return try flipped(horizontally: true, vertically: true, work: work)
    case .downMirrored: return try flipped(horizontally: false, vertically: true, work: work)
    case .leftMirrored, .right, .rightMirrored, .left: return try transposed(orientation, work: work)
    }
  }

  private func transposed(_ orientation: ImageMetadata.Orientation, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = try Bitmap(unfilled: size.transposed, format: format)
    let (pixels, targetBytesPerRow) = (format.kernel, result.bytesPerRow)
    let isReversed = orientation == .right || orientation == .rightMirrored
    try withStarts(writing: &result) { (source, target) throws(ImageError) in
      try Self.inBands(of: height, length: width, work: work) { (rows: Range<Int>) throws(ImageError) in
        // Rows of the source become columns of the target.
        let column = isReversed ? height - rows.upperBound : rows.lowerBound
        easel_orient(
          pixels, Int32(orientation.rawValue), source + rows.lowerBound * bytesPerRow, bytesPerRow, width, rows.count,
          target + column * format.bytesPerPixel, targetBytesPerRow)
      }
    }
    return result
  }

  /// Returns the picture rotated counter-clockwise around its centre by any angle.
  ///
  /// With `fit`, the canvas takes the size of the rotated picture; otherwise it keeps its size. Areas that the picture
  /// does not cover are transparent.
  public func rotated(
    radians: Double, fit: Bool, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    let canvas = fit ? Self.bounds(of: size, turnedBy: radians) : size
    try work.limits.check(result: canvas, from: size, madeBy: "Rotate")
    guard format.layout != .gray8 else {
      return try converted(to: .rgba8, work: work).rotated(radians: radians, fit: fit, work: work)
    }
    var result = try Bitmap(unfilled: canvas, format: format.withAlpha)
    let (kernel, alpha, width, height) = (format.kernel, format.kernelAlpha, width, height)
    let (bytesPerRow, targetBytesPerRow, targetAlpha) = (bytesPerRow, result.bytesPerRow, result.format.kernelAlpha)
    try withBandPixels(writing: &result) { pixels throws(ImageError) in
      try ParallelBands.run(of: canvas.height, length: canvas.width * 4, work: work) { rows in
        easel_rotate(
          kernel, alpha, true, pixels.source, bytesPerRow, width, height, pixels.target, targetBytesPerRow,
          targetAlpha, canvas.width, canvas.height, radians, rows.lowerBound, rows.count)
      }
    }
    return result
  }

  private static func bounds(of size: PixelSize, turnedBy radians: Double) -> PixelSize {
    let (cosine, sine) = (abs(cos(radians)), abs(sin(radians)))
    let (width, height) = (Double(size.width), Double(size.height))
    // A rounding error must not add a pixel to a whole number.
    let rows = (width * sine + height * cosine - 1e-6).rounded(.up)
    let columns = (width * cosine + height * sine - 1e-6).rounded(.up)
    return PixelSize(width: max(1, Int(columns)), height: max(1, Int(rows)))
  }
}
