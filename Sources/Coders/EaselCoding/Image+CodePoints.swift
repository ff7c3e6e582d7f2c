import EaselColor
import EaselCore

extension Image {
  /// The picture for a format that cannot state code points: in sRGB, or in the profile that it has besides them.
  ///
  /// Every encoder that does not write ``EaselCore/ImageMetadata/color`` begins with it, so that no file shows PQ or HLG
  /// as if they were sRGB. Without `keeps16Bits`, pixels of 16 bits become 8, dithered.
  public func withoutCodePoints(keeps16Bits: Bool = false, work: WorkContext) throws(ImageError) -> Image {
    guard let color = metadata.color else { return self }
    var result = self
    result.metadata.color = nil
    if metadata.iccProfile != nil && !color.coding.isHighRange { return result }
    return try result.inSRGB(work: work) { bitmap, work throws(ImageError) in
      try bitmap.converted(from: color, keeps16Bits: keeps16Bits, work: work)
    }
  }
}
