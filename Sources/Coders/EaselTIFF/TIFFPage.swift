import EaselCore

/// One picture of a file.
struct TIFFPage: Sendable {
  let directory: TIFFDirectory
  let size: PixelSize
  /// The smaller versions of this picture in the file.
  var reductions: [(offset: Int, size: PixelSize)] = []

  /// The smallest version that has at least `target` pixels on each side; nil if this is the picture itself.
  func reduction(covering target: PixelSize) -> (offset: Int, size: PixelSize)? {
    reductions.filter { $0.size.width >= target.width && $0.size.height >= target.height && $0.size != size }
      .min { $0.size.area < $1.size.area }
  }

  /// True if a size is a reduced size of the whole picture.
  func isReduced(_ other: PixelSize) -> Bool {
    guard !other.isEmpty, other.width <= size.width, other.height <= size.height, other != size else { return false }
    // Sides may be rounded up or down.
    let width = Double(size.width) * Double(other.height) / Double(size.height)
    let height = Double(size.height) * Double(other.width) / Double(size.width)
    return abs(width - Double(other.width)) <= 1.5 || abs(height - Double(other.height)) <= 1.5
  }
}
