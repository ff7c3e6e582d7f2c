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
    result.metadata.iccProfile = nil
    result.bitmap = try bitmap.converted(from: color, keeps16Bits: keeps16Bits, work: work)
    result.frames = frames.map { ConvertedFrames($0, color: color, keeps16Bits: keeps16Bits) }
    return result
  }
}

/// The frames of a moving picture, each converted from code points to sRGB.
private struct ConvertedFrames: FrameSource {
  private let base: any FrameSource
  private let color: ColorDescription
  private let keeps16Bits: Bool

  init(_ base: any FrameSource, color: ColorDescription, keeps16Bits: Bool) {
    (self.base, self.color, self.keeps16Bits) = (base, color, keeps16Bits)
  }

  var count: Int { base.count }
  var loopCount: Int { base.loopCount }
  var canvasSize: PixelSize { base.canvasSize }
  var memoryCost: Int { base.memoryCost }

  func duration(at index: Int) -> Duration { base.duration(at: index) }

  func frame(at index: Int) throws -> Bitmap {
    try base.frame(at: index).converted(from: color, keeps16Bits: keeps16Bits)
  }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    try base.frame(at: index, work: work).converted(from: color, keeps16Bits: keeps16Bits, work: work)
  }
}
