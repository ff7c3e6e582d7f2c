import EaselCore

extension Bitmap {
  /// Returns the picture, or a part of it, in another size.
  ///
  /// Colours are weighted by their alpha, so that transparent pixels do not bleed. `box` is the part that fills the
  /// result. Its edges may be between pixels, and the filter also uses the pixels around it.
  ///
  /// ```swift
  /// let small = try bitmap.resized(to: PixelSize(width: 320, height: 240))
  /// ```
  public func resized(
    to size: PixelSize, from box: RowResampler.Box? = nil, filter: ResampleFilter = .lanczos3,
    linearLight: Bool = false,
    work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    try work.limits.check(frame: size, claimedBy: "Resize")
    if size == self.size && box == nil { return self }
    return try resized(
      within: PixelRect(covering: self.size), to: size, from: box, filter: filter, linearLight: linearLight, work: work)
  }

  /// Resizes a part of whole pixels exactly as if it were cropped first; `box` is relative to the corner of the part.
  package func resized(
    within part: PixelRect, to size: PixelSize, from box: RowResampler.Box? = nil, filter: ResampleFilter,
    linearLight: Bool = false, work: WorkContext
  ) throws(ImageError) -> Bitmap {
    var result = try Bitmap(unfilled: size, format: format)
    try resize(
      within: part, box: box, into: PixelRect(covering: size), of: &result, filter: filter, linearLight: linearLight,
      work: work)
    return result
  }

  /// Resizes a part into a rectangle of another bitmap of the same format.
  package func resize(
    within part: PixelRect, box: RowResampler.Box? = nil, into rect: PixelRect, of target: inout Bitmap,
    filter: ResampleFilter,
    linearLight: Bool = false, work: WorkContext
  ) throws(ImageError) {
    var resampler = try RowResampler(
      from: part.size, to: rect.size, format: format, filter: filter, box: box, linearLight: linearLight)
    let offset = part.y * bytesPerRow + part.x * format.bytesPerPixel
    let targetBytesPerRow = target.bytesPerRow
    let targetOffset = rect.y * targetBytesPerRow + rect.x * format.bytesPerPixel
    let rowBytes = part.width * format.bytesPerPixel
    let targetRowBytes = rect.width * format.bytesPerPixel
    let bytesPerRow = bytesPerRow
    var pace = CancellationPace(work)
    try withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(ImageError) in
      try target.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) throws(ImageError) in
        resampler.skip(toRow: resampler.neededRows.lowerBound)
        while true {
          while !resampler.isFinished {
            let start = targetOffset + resampler.pulledRows * targetBytesPerRow
            guard resampler.pull(into: UnsafeMutableRawBufferPointer(rebasing: target[start...].prefix(targetRowBytes)))
            else { break }
            try pace.step(pixels: rect.width)
          }
          if resampler.isFinished { return }
          let start = offset + resampler.pushedRows * bytesPerRow
          try resampler.push(UnsafeRawBufferPointer(rebasing: source[start...].prefix(rowBytes)))
          try pace.step(pixels: part.width)
        }
      }
    }
  }
}
