import EaselColor
import EaselCore
import EaselPixels
import FoundationEssentials

/// The steps after reading pixels: reduce them if needed, convert them to sRGB, and set the picture upright.
///
/// Coders rotate pictures nowhere else. Colour conversion only uses ICC profiles; pixels without one are taken for
/// sRGB.
package struct PictureFinish: Sendable {
  /// The profile that still applies to the finished pixels.
  package let keptProfile: Data?
  /// The code points that still apply to the finished pixels.
  package let keptColor: ColorDescription?
  /// The orientation that still applies to the finished pixels.
  package let keptOrientation: ImageOrientation
  /// The target size before the picture is set upright.
  package let storedTarget: PixelSize

  /// The size of the finished picture.
  package var finalSize: PixelSize { orientation.swapsSides ? storedTarget.transposed : storedTarget }

  private let profile: Data?
  private let orientation: ImageOrientation
  private let isGray: Bool

  /// Creates the steps that the options ask for.
  ///
  /// `profile` belongs to the pixels as they are read. With `isGray` it is a grey profile, and the pixels are grey
  /// values stored as red, green and blue. `decodedSize` is the size that the coder chose where the options let it
  /// choose; it is the size before the picture is set upright.
  package init(
    _ header: ImageHeader, profile: Data?, color: ColorDescription? = nil, isGray: Bool,
    decodedSize: PixelSize? = nil, options: DecodeOptions
  ) {
    let target = options.targetSize(for: header)
    orientation = options.appliesOrientation ? header.orientation : .up
    keptOrientation = options.appliesOrientation ? .up : header.orientation
    storedTarget = decodedSize ?? (orientation.swapsSides ? target.transposed : target)
    self.profile = options.convertsColor ? profile : nil
    keptProfile = options.convertsColor ? nil : profile
    keptColor = options.convertsColor ? nil : color
    self.isGray = isGray
  }

  /// Applies the steps to a bitmap.
  package func callAsFunction(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = bitmap
    if result.size != storedTarget { result = try result.resized(to: storedTarget, work: work) }
    result = try converted(result, work: work)
    return try result.oriented(orientation, work: work)
  }

  /// Converts the colours; an unusable profile leaves them unchanged.
  private func converted(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    guard let profile else { return bitmap }
    do throws(ImageError) {
      return isGray
        ? try bitmap.convertedGray(from: .icc(profile), work: work)
        : try bitmap.converted(from: .icc(profile), work: work)
    } catch {
      guard error.code == .badImageData else { throw error }
      return bitmap
    }
  }
}
