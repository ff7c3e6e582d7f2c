import EaselColor
import EaselCore

extension Image {
  /// The picture for a format that cannot state code points: in sRGB, or in its profile if it also has one.
  ///
  /// Every encoder that does not write ``EaselCore/ImageMetadata/color`` calls this first, so that no file shows PQ or
  /// HLG as sRGB. Without `keeps16Bits`, pixels of 16 bits become pixels of 8 bits, dithered.
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
