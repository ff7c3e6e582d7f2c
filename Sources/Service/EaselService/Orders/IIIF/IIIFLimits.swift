import EaselCore

/// The largest results of a server.
struct IIIFLimits: Hashable, Sendable {
  /// The most pixels of a side.
  let side: Int
  /// The most pixels in all.
  let pixels: Int

  func allow(_ size: PixelSize) -> Bool { max(size.width, size.height) <= side && size.area <= pixels }

  /// The largest size of the same shape that is allowed, at most that of the part unless it may be enlarged.
  func largest(_ part: PixelSize, enlarged: Bool) -> PixelSize {
    if !enlarged, allow(part) { return part }
    let (width, height) = (Double(part.width), Double(part.height))
    let scale = min(Double(side) / max(width, height), (Double(pixels) / (width * height)).squareRoot())
    // Rounding down keeps the number of pixels within the limit.
    return PixelSize(width: max(1, Int(width * scale)), height: max(1, Int(height * scale)))
  }
}

extension PixelSize {
  /// The largest size of the same shape inside a box.
  func fitted(in box: PixelSize) -> PixelSize {
    let scale = min(Double(box.width) / Double(width), Double(box.height) / Double(height))
    return PixelSize(
      width: max(1, min(box.width, Int((Double(width) * scale).rounded()))),
      height: max(1, min(box.height, Int((Double(height) * scale).rounded()))))
  }
}
