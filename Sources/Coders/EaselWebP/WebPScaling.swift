import EaselCoding
import EaselCore

/// At which size libwebp is to make a picture of which a smaller one is wanted.
///
/// It scales while it reads, which saves memory. Its scaler takes means of whole blocks: three times the size that is
/// wanted leaves enough to a better filter that no difference to one over all pixels is seen.
enum WebPScaling {
  /// The pixels that may be held to make a lossy picture with alpha smaller, whose colours libwebp mixes without looking
  /// at their alpha.
  private static let mostPixelsWithAlpha = 16_000_000

  static func size(of file: WebPFile, options: DecodeOptions) -> PixelSize {
    guard !file.isAnimated, let frame = file.first else { return file.canvas }
    let wanted = largestTarget(of: file, options)
    guard wanted != file.canvas else { return file.canvas }
    let scaled = [3, 2].lazy.map { PixelSize(width: wanted.width * $0, height: wanted.height * $0) }
      .first { $0.width <= file.canvas.width && $0.height <= file.canvas.height }
    guard let scaled else { return file.canvas }
    guard frame.placing.hasAlpha && !frame.isLossless else { return scaled }
    let affordable = file.canvas.scaledDown(toBytes: mostPixelsWithAlpha * 4)
    return affordable.width > scaled.width && affordable.height > scaled.height ? affordable : scaled
  }

  /// What is wanted of the picture as stored.
  ///
  /// EXIF and XMP come after the pixels: where they may turn the picture, enough for whatever they say, so that
  /// the same pixels are read whether they are known already or not.
  private static func largestTarget(of file: WebPFile, _ options: DecodeOptions) -> PixelSize {
    var header = file.pictureHeader
    let orientations: [ImageOrientation] = file.announcesOrientation ? [.up, .right] : [.up]
    let targets = orientations.map { orientation in
      header.orientation = orientation
      return PictureFinish(header, profile: nil, isGray: false, options: options).storedTarget
    }
    return PixelSize(width: targets.map(\.width).max()!, height: targets.map(\.height).max()!)
  }
}
