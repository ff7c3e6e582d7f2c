import EaselCoding
import EaselCore
import EaselPixels

/// Chooses the size at which libwebp decodes a picture that is reduced.
///
/// libwebp scales while it reads, which saves memory. Its scaler averages whole blocks. From three times the wanted
/// size, a better filter can do the rest without a visible difference from filtering all pixels.
enum WebPScaling {
  /// The most pixels in memory for reducing a picture with alpha.
  ///
  /// libwebp's scaler blends lossy pixels without regard to alpha. It multiplies lossless pixels by alpha first, which
  /// loses the colours of pixels that are nearly transparent.
  private static let mostPixelsWithAlpha = 16_000_000

  static func size(of file: WebPFile, options: DecodeOptions) -> PixelSize {
    guard !file.isAnimated, let frame = file.first else { return file.canvas }
    let wanted = largestTarget(of: file, options)
    guard wanted != file.canvas else { return file.canvas }
    let scaled = multiples(wanted, options).lazy
      .map { PixelSize(width: wanted.width * $0, height: wanted.height * $0) }
      .first { $0.width <= file.canvas.width && $0.height <= file.canvas.height }
    guard let scaled else { return file.canvas }
    guard frame.placing.hasAlpha else { return scaled }
    let affordable = file.canvas.scaledDown(toBytes: mostPixelsWithAlpha * 4)
    return affordable.width > scaled.width && affordable.height > scaled.height ? affordable : scaled
  }

  /// The multiples of the wanted size to which libwebp may scale, the best first.
  ///
  /// A picture of less than three times the size is small, so fidelity costs little there.
  private static func multiples(_ wanted: PixelSize, _ options: DecodeOptions) -> [Int] {
    guard options.thumbnailSize != nil, options.fidelity != .fast else { return [3, 2] }
    guard let ratio = options.fidelity.leastRatio(for: wanted) else { return [] }
    return [max(3, Int(ratio.rounded(.up)))]
  }

  /// The largest size that may be needed, before the picture is set upright.
  ///
  /// EXIF and XMP follow the pixels. If they may contain an orientation, the size suffices for any orientation. So the
  /// same pixels are read, with a known orientation or without one.
  private static func largestTarget(of file: WebPFile, _ options: DecodeOptions) -> PixelSize {
    var header = file.pictureHeader
    let orientations: [ImageMetadata.Orientation] = file.announcesOrientation ? [.up, .right] : [.up]
    let targets = orientations.map { orientation in
      header.orientation = orientation
      return ImageFinish(
        header, profile: nil, isGray: false, decodedSize: options.sufficientSize(for: header), options: options
      ).storedTarget
    }
    return PixelSize(width: targets.map(\.width).max()!, height: targets.map(\.height).max()!)
  }
}
