/// The frames of a moving picture, each transformed when it is asked for.
///
/// It keeps one transformed frame, the first, and nothing else.
public struct TransformedFrameSource: FrameSource {
  private let base: any FrameSource
  private let transformer: any Transformer
  private let limits: Limits
  private let context: ImageContext
  private let first: Bitmap

  /// Creates the source; it transforms the first frame, which tells the size of all.
  public init(_ base: any FrameSource, transformer: any Transformer, work: WorkContext) throws {
    try work.checkCancellation()
    first = try transformer.transform(Image(base.frame(at: 0)), work: work).bitmap
    try work.limits.check(frameCount: base.count, of: first.size, claimedBy: "A transformed moving picture")
    self.base = base
    self.transformer = transformer
    limits = work.limits
    context = work.context
  }

  /// The number of frames.
  public var count: Int { base.count }
  /// How often the whole is played; 0 is forever.
  public var loopCount: Int { base.loopCount }
  /// The size of every transformed frame.
  public var canvasSize: PixelSize { first.size }
  /// The bytes of the first frame and of what stands behind.
  public var memoryCost: Int { base.memoryCost + first.memoryCost }

  /// How long the frame at `index` is shown.
  public func duration(at index: Int) -> Duration { base.duration(at: index) }

  /// Makes the frame at `index` and transforms it.
  public func frame(at index: Int) throws -> Bitmap {
    if index == 0 { return first }
    let work = WorkContext(limits: limits, context: context)
    let frame = try transformer.transform(Image(base.frame(at: index)), work: work).bitmap
    guard frame.size == first.size else {
      throw ImageError(
        .transformFailed,
        "\(transformer.cacheKey) makes \(frame.size) of frame \(index) and \(first.size) of the first; frames of a "
          + "moving picture must stay of one size.")
    }
    return frame
  }
}

extension Transformer {
  /// Transforms every frame of a moving picture, each when it is asked for; a still picture is transformed at once.
  public func transformAllFrames(of image: Image, work: WorkContext) throws -> Image {
    guard let frames = image.frames else { return try transform(image, work: work) }
    let transformed = try TransformedFrameSource(frames, transformer: self, work: work)
    var result = image
    result.bitmap = try transformed.frame(at: 0)
    result.frames = transformed
    return result
  }
}
