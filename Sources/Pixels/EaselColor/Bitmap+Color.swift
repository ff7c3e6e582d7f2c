import EaselCore
import EaselPixels

extension Bitmap {
  /// The same picture with the colours of another profile; layout and alpha stay.
  ///
  /// A picture that follows the profile already is handed back as it is.
  public func converted(
    from source: ColorProfile, to destination: ColorProfile = .sRGB, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    let layout = ColorLayout(format.layout)
    let transform = try ColorTransform(from: source, layout: layout, to: destination, layout: layout)
    if transform.isIdentity { return self }
    // A profile's curves are meant for colours that are not multiplied by alpha.
    var result = try converted(to: PixelFormat(format.layout, alpha: format.alpha == .opaque ? .opaque : .straight))
    try result.convert(with: transform, work: work)
    return try result.converted(to: format)
  }

  private mutating func convert(with transform: ColorTransform, work: WorkContext) throws(ImageError) {
    let rowBytes = width * format.bytesPerPixel
    let bytesPerRow = bytesPerRow
    let height = height
    let rowsAtOnce = max(1, 100_000 / width)
    try withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      for row in 0..<height {
        if row % rowsAtOnce == 0 { try work.checkCancellation() }
        let pixels = UnsafeMutableRawBufferPointer(rebasing: bytes[(row * bytesPerRow)...].prefix(rowBytes))
        transform.convert(UnsafeRawBufferPointer(pixels), into: pixels)
      }
    }
  }
}
