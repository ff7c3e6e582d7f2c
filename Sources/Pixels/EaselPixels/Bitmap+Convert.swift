import CEaselPixels
import EaselCore

extension Bitmap {
  /// Returns the picture in another format.
  ///
  /// If the target is opaque, transparent pixels are blended over black; to use another colour, call
  /// ``flattened(over:work:)`` first. Converting colour to grey is an error.
  ///
  /// ```swift
  /// let deep = try bitmap.converted(to: .rgba16)
  /// ```
  public func converted(
    to target: PixelFormat, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    if target == format { return self }
    let losesAlpha = target.alpha == .opaque && format.alpha != .opaque
    // A new layout needs a new bitmap, which can then be changed in place.
    var result = losesAlpha || format.layout == .rgba16 ? self : try inLayout(target.layout, work: work)
    try result.convert(to: target, work: work)
    return result
  }

  /// Changes the format like ``converted(to:work:)``, in place where pixels keep their size.
  package mutating func convert(to target: PixelFormat, work: WorkContext) throws(ImageError) {
    if target.alpha == .opaque && format.alpha != .opaque { self = try flattened(over: .black, work: work) }
    // Alpha is converted in the layout that has more bits, because that loses less.
    if format.layout == .rgba16 { try changeAlpha(to: target.alpha, work: work) }
    try changeLayout(to: target.layout, work: work)
    try changeAlpha(to: target.alpha, work: work)
  }

  /// Returns the picture blended over a colour, which makes it opaque; the alpha of the colour is ignored.
  ///
  /// ```swift
  /// let opaque = try bitmap.flattened(over: .white)
  /// ```
  public func flattened(over color: PixelColor, work: WorkContext = WorkContext()) throws(ImageError) -> Bitmap {
    guard format.alpha != .opaque else { return self }
    var ground = color
    ground.alpha = 255
    var result = try blended(with: ground, mode: .destinationOver, work: work)
    result.assumeAlpha(.opaque)
    return result
  }

  private mutating func changeAlpha(to alpha: PixelFormat.Alpha, work: WorkContext) throws(ImageError) {
    if alpha == format.alpha || format.layout == .gray8 { return }
    // For opaque pixels, straight and premultiplied are the same.
    if format.alpha != .opaque {
      let kernel = alpha == .premultiplied ? easel_premultiply : easel_unpremultiply
      let format = format.kernel
      try inPlace(work: work) { kernel(format, $0, $1, $0, $1, $2, $3) }
    }
    assumeAlpha(alpha)
  }

  private mutating func changeLayout(to layout: PixelFormat.Layout, work: WorkContext) throws(ImageError) {
    switch (format.layout, layout) {
    case (.rgba8, .bgra8), (.bgra8, .rgba8):
      try inPlace(work: work) { Self.swapRedAndBlue($0, $1, $0, $1, $2, $3) }
      assumeLayout(layout)
    default: self = try inLayout(layout, work: work)
    }
  }

  private func inLayout(_ layout: PixelFormat.Layout, work: WorkContext) throws(ImageError) -> Bitmap {
    switch (format.layout, layout) {
    case (.gray8, .rgba8), (.gray8, .bgra8): try copied(to: layout, by: easel_gray8_to_rgba8, work: work)
    case (.rgba8, .bgra8), (.bgra8, .rgba8): try copied(to: layout, by: Self.swapRedAndBlue, work: work)
    case (.rgba8, .rgba16): try copied(to: layout, by: easel_rgba8_to_rgba16, work: work)
    case (.rgba16, .rgba8): try copied(to: layout, by: easel_rgba16_to_rgba8, work: work)
    case (.gray8, .rgba16), (.bgra8, .rgba16), (.rgba16, .bgra8):
      try inLayout(.rgba8, work: work).inLayout(layout, work: work)
    case (format.layout, format.layout): self
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

  /// Calls `change` with the start, the stride and the size of bands of rows.
  private mutating func inPlace(
    work: WorkContext, _ change: (UnsafeMutableRawPointer, Int, Int, Int) -> Void
  ) throws(ImageError) {
    let (bytesPerRow, width, height) = (bytesPerRow, width, height)
    try withStart { (start: UnsafeMutableRawPointer) throws(ImageError) in
      try Self.inBands(of: height, length: width, work: work) { (rows: Range<Int>) throws(ImageError) in
        change(start + rows.lowerBound * bytesPerRow, bytesPerRow, width, rows.count)
      }
    }
  }

  /// Returns the picture, and marks it as opaque if no pixel is transparent.
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
