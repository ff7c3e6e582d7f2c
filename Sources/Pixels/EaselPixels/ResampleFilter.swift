import CEaselPixels
import EaselCore

extension Bitmap {
  /// The way in which pixels are weighted when a picture is resized; the raw values are part of cache keys.
  public enum ResampleFilter: Int, Hashable, Sendable, CaseIterable {
    /// The nearest pixel, for pixel art.
    case nearest = 0
    /// The mean of the pixels that a new one covers.
    case box = 1
    /// Linear interpolation; fast and soft.
    case bilinear = 2
    /// Cubic interpolation; sharper.
    case bicubic = 3
    /// Lanczos with three lobes; the sharpest, and the default.
    case lanczos3 = 4

    var kernel: easel_filter {
      switch self {
      case .nearest: EASEL_FILTER_NEAREST
      case .box: EASEL_FILTER_BOX
      case .bilinear: EASEL_FILTER_BILINEAR
      case .bicubic: EASEL_FILTER_BICUBIC
      case .lanczos3: EASEL_FILTER_LANCZOS3
      }
    }
  }
}
