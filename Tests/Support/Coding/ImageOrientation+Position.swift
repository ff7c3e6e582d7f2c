import EaselCore

extension ImageMetadata.Orientation {
  /// The position in a stored picture of this size of the pixel at (x, y) of the upright picture.
  func storedPosition(x: Int, y: Int, in stored: PixelSize) -> (x: Int, y: Int) {
    let right = stored.width - 1
    let bottom = stored.height - 1
    return switch self {
    case .up: (x, y)
    case .upMirrored: (right - x, y)
    case .down: (right - x, bottom - y)
    case .downMirrored: (x, bottom - y)
    case .leftMirrored: (y, x)
    case .right: (y, bottom - x)
    case .rightMirrored: (right - y, bottom - x)
    case .left: (right - y, x)
    }
  }
}
