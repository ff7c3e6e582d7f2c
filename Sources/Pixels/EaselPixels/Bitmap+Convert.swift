import CEaselPixels
import EaselCore

extension Bitmap {
  /// Returns the picture in another format.
  ///
  /// If the target is opaque, transparent pixels are blended over black; call ``flattened(over:work:)`` first to use
  /// another colour. Converting colour to grey is an error.
  public func converted(
    to target: PixelFormat, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    if target == format { return self }
    if target.alpha == .opaque && format.alpha != .opaque {
      return try flattened(over: .black, work: work).converted(to: target, work: work)
    }
    if target.layout == format.layout { return try changingAlpha(to: target.alpha, work: work) }
    // Alpha is converted in the layout with more bits, where less is lost.
    if format.layout == .rgba16 {
      return try changingAlpha(to: target.alpha, work: work).changingLayout(to: target.layout, work: work)
    }
    return try changingLayout(to: target.layout, work: work).changingAlpha(to: target.alpha, work: work)
  }

  /// Returns the picture blended over a colour, which makes it opaque; the colour's own alpha is ignored.
  public func flattened(over color: PixelColor, work: WorkContext = WorkContext()) throws(ImageError) -> Bitmap {
    guard format.alpha != .opaque else { return self }
    var ground = color
    ground.alpha = 255
    var result = try blended(with: ground, mode: .destinationOver, work: work)
    result.assumeAlpha(.opaque)
    return result
  }

  private func changingAlpha(to alpha: PixelFormat.Alpha, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = self
    if alpha == format.alpha || format.layout == .gray8 { return result }
    guard format.alpha != .opaque else {
      // For opaque pixels, straight and premultiplied are the same.
      result.assumeAlpha(alpha)
      return result
    }
    let kernel = alpha == .premultiplied ? easel_premultiply : easel_unpremultiply
    let (format, bytesPerRow, width, height) = (format.kernel, bytesPerRow, width, height)
    try result.withStart { (start: UnsafeMutableRawPointer) throws(ImageError) in
      try Self.inBands(of: height, length: width, work: work) { (rows: Range<Int>) throws(ImageError) in
        let first = start + rows.lowerBound * bytesPerRow
        kernel(format, first, bytesPerRow, first, bytesPerRow, width, rows.count)
      }
    }
    result.assumeAlpha(alpha)
    return result
  }

  private func changingLayout(to layout: PixelFormat.Layout, work: WorkContext) throws(ImageError) -> Bitmap {
    switch (format.layout, layout) {
    case (.gray8, .rgba8), (.gray8, .bgra8): try copied(to: layout, by: easel_gray8_to_rgba8, work: work)
    case (.rgba8, .bgra8), (.bgra8, .rgba8): try copied(to: layout, by: Self.swapRedAndBlue, work: work)
    case (.rgba8, .rgba16): try copied(to: layout, by: easel_rgba8_to_rgba16, work: work)
    case (.rgba16, .rgba8): try copied(to: layout, by: easel_rgba16_to_rgba8, work: work)
    case (.gray8, .rgba16), (.bgra8, .rgba16), (.rgba16, .bgra8):
      try changingLayout(to: .rgba8, work: work).changingLayout(to: layout, work: work)
    default:
      throw ImageError(
        .transformFailed, "A picture in \(format.layout) cannot be stored as \(layout). Make it grey with Grayscale.")
    }
  }

  private typealias CopyKernel = (UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int, Int, Int) -> Void

  private static func swapRedAndBlue(
    _ source: UnsafeRawPointer?, _ sourceStride: Int, _ target: UnsafeMutableRawPointer?, _ targetStride: Int,
    _ width: Int, _ height: Int
  ) {
    easel_swap_red_blue(EASEL_FORMAT_RGBA8, source, sourceStride, target, targetStride, width, height)
  }

  private func copied(
    to layout: PixelFormat.Layout, by kernel: CopyKernel, work: WorkContext
  ) throws(ImageError) -> Bitmap {
    var result = try Bitmap(unfilled: size, format: PixelFormat(layout, alpha: format.alpha))
    let targetBytesPerRow = result.bytesPerRow
    try withStarts(writing: &result) { (source, target) throws(ImageError) in
      try Self.inBands(of: height, length: width, work: work) { (rows: Range<Int>) throws(ImageError) in
        kernel(
          source + rows.lowerBound * bytesPerRow, bytesPerRow, target + rows.lowerBound * targetBytesPerRow,
          targetBytesPerRow, width, rows.count)
      }
    }
    return result
  }

  /// Returns the picture, marked as opaque if no pixel is transparent.
  public func markedOpaqueIfPossible() -> Bitmap {
    guard format.alpha != .opaque else { return self }
    let isOpaque = withUnsafeBytes { bytes in
      easel_is_opaque(format.kernel, bytes.baseAddress, bytesPerRow, width, height)
    }
    guard isOpaque else { return self }
    var result = self
    result.assumeAlpha(.opaque)
    return result
  }
}
