import CEaselPixels
import EaselCore

extension Bitmap {
  /// Returns the picture with a colour blended over all of it.
  public func blended(
    with color: PixelColor, mode: BlendMode, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    var result = try readyForBlending(mode, needsColor: !color.isGray, work: work)
    let components = color.components(for: result.format.layout)
    let (format, bytesPerRow, width, height) = (result.format, result.bytesPerRow, width, height)
    try result.withStart { (start: UnsafeMutableRawPointer) throws(ImageError) in
      try Self.inBands(of: height, length: width, work: work) { (rows: Range<Int>) throws(ImageError) in
        easel_blend_color(
          format.kernel, mode.kernel, components, start + rows.lowerBound * bytesPerRow, bytesPerRow,
          format.kernelAlpha, width, rows.count)
      }
    }
    return result
  }

  /// Returns the picture with another one blended over part of it; parts outside the picture are cut off.
  public func overlaid(
    with picture: Bitmap, x: Int, y: Int, mode: BlendMode = .normal, opacity: Double = 1,
    work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    let target = PixelRect(x: x, y: y, width: picture.width, height: picture.height)
      .intersection(PixelRect(covering: size))
    if target.isEmpty { return self }
    var result = try readyForBlending(mode, needsColor: picture.format.layout != .gray8, work: work)
    let alpha = picture.format.alpha
    let source = try picture.converted(to: PixelFormat(result.format.layout, alpha: alpha), work: work)
    let (format, bytesPerRow) = (result.format, result.bytesPerRow)
    let pixelBytes = format.bytesPerPixel
    let sourceOffset = (target.y - y) * source.bytesPerRow + (target.x - x) * pixelBytes
    try source.withStarts(writing: &result) { (source_, start) throws(ImageError) in
      try Self.inBands(of: target.height, length: target.width, work: work) { (rows: Range<Int>) throws(ImageError) in
        easel_blend(
          format.kernel, mode.kernel, Float(opacity),
          source_ + sourceOffset + rows.lowerBound * source.bytesPerRow, source.bytesPerRow, source.format.kernelAlpha,
          start + (target.y + rows.lowerBound) * bytesPerRow + target.x * pixelBytes, bytesPerRow, format.kernelAlpha,
          target.width, rows.count)
      }
    }
    return result
  }

  private func readyForBlending(
    _ mode: BlendMode, needsColor: Bool, work: WorkContext
  ) throws(ImageError) -> Bitmap {
    let colored = needsColor ? format.withColor : format
    return try converted(to: mode.keepsOpaque ? colored : colored.withAlpha, work: work)
  }
}
