import EaselCore
import EaselPixels

/// Gives a picture another size, enlarging it where that is asked for.
///
/// A side of zero follows the other one and the picture's ratio.
public struct Resize: PlannableTransformer, BitmapTransformer {
  /// The size to make; a zero side follows the ratio.
  public let size: PixelSize
  /// How a picture of another ratio is fitted.
  public let mode: ResizeMode
  /// How pixels are weighed.
  public let filter: ResampleFilter
  /// Whether light is weighed instead of sRGB values, which keeps fine bright detail bright.
  public let linearLight: Bool

  /// Creates a resize.
  ///
  /// A side of zero is free, so that nothing needs to be fitted: the mode becomes ``ResizeMode/fill``, unless it keeps
  /// smaller pictures as they are.
  public init(
    _ size: PixelSize, mode: ResizeMode = .fill, filter: ResampleFilter = .lanczos3, linearLight: Bool = false
  ) {
    self.size = size
    let isFree = size.width == 0 || size.height == 0
    self.mode = isFree && mode != .insideUnlessSmaller ? .fill : mode
    self.filter = filter
    self.linearLight = linearLight && filter != .nearest
  }

  /// `Resize({width,height},mode)`, the filter where it is not Lanczos3, and after the filter a 1 for linear light.
  public var cacheKey: String {
    let extras =
      linearLight ? ",\(filter.rawValue),1" : filter == .lanczos3 ? "" : ",\(filter.rawValue)"
    return "Resize(\(KeyText.list(size.width, size.height)),\(mode.rawValue)\(extras))"
  }

  func checkParameters() throws(ImageError) {
    try require(size.width >= 0 && size.height >= 0, "sides must not be negative, and are \(size)")
    try require(size.width > 0 || size.height > 0, "one side at least must be given, and both are 0")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try ResizeStep(crop: nil, resize: self, fullSize: nil).transform(bitmap, work: work)
  }

  /// Asks for a picture of twice the size that it makes.
  public func plan(for size: PixelSize) -> TransformerPlan? {
    ResizeStep(crop: nil, resize: self, fullSize: nil).plan(for: size)
  }
}
