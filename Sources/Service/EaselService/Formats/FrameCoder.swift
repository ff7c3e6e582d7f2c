import EaselCore

/// A coder that makes a still picture of one frame of a moving one.
struct FrameCoder: EncodingLikeItsBase, EncodingCoder, DrawingCoder {
  let base: CoderRegistry
  private let index: Int

  /// Creates a coder for the frame of this index over the coders of a manager.
  init(_ base: CoderRegistry, frame index: Int) {
    self.base = base
    self.index = index
  }

  var identifier: String { "frame-\(index)" }

  func drawsLarger(_ format: ImageFormat) -> Bool { base.drawsLarger(format) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    var header = try base.probe(bytes, work: work)
    try check(header.frameCount)
    (header.frameCount, header.loopCount, header.storedLoopCount, header.storedDelays) = (1, 0, nil, [])
    return header
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    var options = options
    options.firstFrameOnly = false
    var image = try base.decode(bytes, options: options, work: work)
    try check(image.frames?.count ?? 1)
    if let frames = image.frames { image.bitmap = try frames.frame(at: index, work: work) }
    image.frames = nil
    return image
  }

  private func check(_ count: Int) throws(ImageError) {
    guard index < count else {
      throw ImageError(
        .transformFailed,
        "The picture has \(count == 1 ? "one page" : "\(count) pages"), so there is none of number \(index).")
    }
  }
}

extension FrameCoder: EffortEstimatingCoder {
  func effort(of bytes: ImageBytes, limits: Limits) -> Duration? { base.effort(of: bytes, limits: limits) }
}
