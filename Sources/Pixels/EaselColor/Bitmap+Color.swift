import EaselCore
import EaselPixels

extension Bitmap {
  /// Returns the picture with its colours converted to another profile, with the same layout and alpha.
  ///
  /// A picture that already has that profile is returned unchanged.
  public func converted(
    from source: ColorTransform.Profile, to destination: ColorTransform.Profile = .sRGB,
    work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    let layout = ColorTransform.Layout(format.layout)
    let transform = try ColorTransform(from: source, layout: layout, to: destination, layout: layout)
    if transform.isIdentity { return self }
    // The curves of profiles need colours that are not multiplied by alpha.
    var result = try converted(to: PixelFormat(format.layout, alpha: format.alpha == .opaque ? .opaque : .straight))
    try result.convert(with: transform, work: work)
    return try result.converted(to: format)
  }

  private mutating func convert(with transform: ColorTransform, work: WorkContext) throws(ImageError) {
    let rowBytes = width * format.bytesPerPixel
    let bytesPerRow = bytesPerRow
    let height = height
    let rowsAtOnce = max(1, 100_000 / width)
    try makeUnique()
    try withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      for row in 0..<height {
        if row % rowsAtOnce == 0 { try work.checkCancellation() }
        let pixels = UnsafeMutableRawBufferPointer(rebasing: bytes[(row * bytesPerRow)...].prefix(rowBytes))
        transform.convert(UnsafeRawBufferPointer(pixels), into: pixels)
      }
    }
  }
}
