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

  /// Returns the picture with another one blended over a part of it; whatever is outside this picture is cut off.
  public func overlaid(
    with picture: Bitmap, x: Int, y: Int, mode: BlendMode = .normal, opacity: Double = 1,
    work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    let target = PixelRect(x: x, y: y, width: picture.width, height: picture.height)
      .intersection(PixelRect(covering: size))
    if target.isEmpty { return self }
    return try overlaid(with: picture, columns: [x], rows: [y], mode: mode, opacity: opacity, work: work)
  }

  /// Returns the picture with another one blended over it at each crossing of the columns and rows.
  ///
  /// Whatever is outside this picture is cut off. The other picture is converted only once.
  package func overlaid(
    with picture: Bitmap, columns: some Sequence<Int>, rows: some Sequence<Int>, mode: BlendMode = .normal,
    opacity: Double, work: WorkContext
  ) throws(ImageError) -> Bitmap {
    let canvas = PixelRect(covering: size)
    var result = try readyForBlending(mode, needsColor: picture.format.layout != .gray8, work: work)
    let alpha = picture.format.alpha
    let source = try picture.converted(to: PixelFormat(result.format.layout, alpha: alpha), work: work)
    let (format, bytesPerRow) = (result.format, result.bytesPerRow)
    let pixelBytes = format.bytesPerPixel
    var pace = CancellationPace(work)
    try source.withStarts(writing: &result) { (from, to) throws(ImageError) in
      for y in rows {
        for x in columns {
          let target = PixelRect(x: x, y: y, width: source.width, height: source.height).intersection(canvas)
          if target.isEmpty { continue }
          let first = from + (target.y - y) * source.bytesPerRow + (target.x - x) * pixelBytes
          let rowsAtOnce = CancellationPace.lines(of: target.width)
          for row in stride(from: 0, to: target.height, by: rowsAtOnce) {
            let count = min(rowsAtOnce, target.height - row)
            easel_blend(
              format.kernel, mode.kernel, Float(opacity), first + row * source.bytesPerRow, source.bytesPerRow,
              source.format.kernelAlpha, to + (target.y + row) * bytesPerRow + target.x * pixelBytes, bytesPerRow,
              format.kernelAlpha, target.width, count)
            // A call for few pixels takes as long as a few dozen pixels.
            try pace.step(pixels: target.width * count + 32)
          }
        }
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
