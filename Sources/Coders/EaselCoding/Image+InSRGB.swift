import EaselCore

extension Image {
  /// The picture and its frames after a conversion to sRGB, without the former description of their colours.
  func inSRGB(
    work: WorkContext, by convert: @escaping @Sendable (Bitmap, WorkContext) throws(ImageError) -> Bitmap
  ) throws(ImageError) -> Image {
    var result = self
    result.metadata.color = nil
    result.metadata.iccProfile = nil
    result.bitmap = try convert(bitmap, work)
    result.frames = frames.map { ConvertedFrames($0, convert) }
    return result
  }
}

/// The frames of a moving picture, each converted when it is made.
private struct ConvertedFrames: FrameSource {
  private let base: any FrameSource
  private let convert: @Sendable (Bitmap, WorkContext) throws(ImageError) -> Bitmap

  init(
    _ base: any FrameSource, _ convert: @escaping @Sendable (Bitmap, WorkContext) throws(ImageError) -> Bitmap
  ) {
    (self.base, self.convert) = (base, convert)
  }

  var count: Int { base.count }
  var loopCount: Int { base.loopCount }
  var canvasSize: PixelSize { base.canvasSize }
  var memoryCost: Int { base.memoryCost }

  func duration(at index: Int) -> Duration { base.duration(at: index) }

  func frame(at index: Int) throws -> Bitmap { try convert(base.frame(at: index), WorkContext()) }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    try convert(base.frame(at: index, work: work), work)
  }
}
