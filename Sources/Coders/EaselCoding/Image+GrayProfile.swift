import EaselColor
import EaselCore
import EaselPixels

extension Image {
  /// The picture for a format that stores red, green and blue: in sRGB, if the profile is a grey profile.
  ///
  /// Readers ignore a grey profile in a file of three colours. An unusable grey profile is removed. With `keepsGray`, a
  /// still picture of grey values stays as it is.
  public func withoutGrayProfile(keepsGray: Bool = false, work: WorkContext) throws(ImageError) -> Image {
    guard let profile = metadata.iccProfile, profile.isGrayProfile, metadata.color?.coding.isHighRange != true,
      !keepsGray || frames != nil || bitmap.format.layout != .gray8
    else { return self }
    return try inSRGB(work: work) { bitmap, work throws(ImageError) in
      let layout: PixelFormat.Layout = bitmap.format.layout == .rgba16 ? .rgba16 : .rgba8
      let colors = try bitmap.converted(to: PixelFormat(layout, alpha: bitmap.format.alpha), work: work)
      do throws(ImageError) {
        return try colors.convertedGray(from: .icc(profile), work: work)
      } catch {
        guard error.code == .badImageData else { throw error }
        return bitmap
      }
    }
  }
}
