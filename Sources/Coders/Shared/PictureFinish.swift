import EaselColor
import EaselCore
import EaselPixels
import FoundationEssentials

/// What is done to pixels after they were read: made smaller if they are not yet, converted to sRGB, set upright.
///
/// No coder turns a picture anywhere else. Only an ICC profile is followed; without one the pixels are taken for sRGB.
package struct PictureFinish: Sendable {
  /// The profile that the finished pixels still follow.
  package let keptProfile: Data?
  /// The orientation that the finished pixels still have.
  package let keptOrientation: ImageOrientation
  /// The size before the picture is set upright.
  package let storedTarget: PixelSize

  /// The size that the finished picture has.
  package var finalSize: PixelSize { orientation.swapsSides ? storedTarget.transposed : storedTarget }

  private let profile: Data?
  private let orientation: ImageOrientation
  private let isGray: Bool

  /// Creates the finish of a picture as the options ask for it.
  ///
  /// `profile` is that of the pixels as they are read; with `isGray` it is one for grey, and the pixels are grey
  /// written as red, green and blue. `decodedSize` is the size before it is set upright that the coder has chosen where
  /// the options leave it a choice.
  package init(
    _ header: ImageHeader, profile: Data?, isGray: Bool, decodedSize: PixelSize? = nil, options: DecodeOptions
  ) {
    let target = options.targetSize(for: header)
    orientation = options.appliesOrientation ? header.orientation : .up
    keptOrientation = options.appliesOrientation ? .up : header.orientation
    storedTarget = decodedSize ?? (orientation.swapsSides ? target.transposed : target)
    self.profile = options.convertsColor ? profile : nil
    keptProfile = options.convertsColor ? nil : profile
    self.isGray = isGray
  }

  /// The finished picture.
  package func callAsFunction(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = bitmap
    if result.size != storedTarget { result = try result.resized(to: storedTarget, work: work) }
    result = try converted(result, work: work)
    return try result.oriented(orientation, work: work)
  }

  /// A profile that cannot be used leaves the colours as they are.
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
