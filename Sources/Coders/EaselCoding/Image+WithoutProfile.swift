import EaselColor
import EaselCore
import EaselPixels

extension Image {
  /// The picture for a format that holds no colour profile: in sRGB.
  ///
  /// The encoder of such a format begins with it, because readers take colours without a profile for sRGB. Code points
  /// are converted too. A profile that cannot be used leaves the colours as they are. Without `keeps16Bits`, pixels of
  /// 16 bits that have code points become 8, dithered.
  public func withoutProfile(keeps16Bits: Bool = false, work: WorkContext) throws(ImageError) -> Image {
    let image = try withoutCodePoints(keeps16Bits: keeps16Bits, work: work).withoutGrayProfile(work: work)
    guard let profile = image.metadata.iccProfile else { return image }
    return try image.inSRGB(work: work) { bitmap, work throws(ImageError) in
      do throws(ImageError) {
        // A colour profile cannot describe single grey values.
        let colors = bitmap.format.layout == .gray8 ? try bitmap.converted(to: .opaqueRGBA8, work: work) : bitmap
        return try colors.converted(from: .icc(profile), work: work)
      } catch {
        guard error.code == .badImageData else { throw error }
        return bitmap
      }
    }
  }
}
