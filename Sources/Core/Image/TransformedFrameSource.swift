/// The frames of a moving picture, each transformed when it is asked for.
///
/// It keeps one transformed frame, the first, and nothing else. It is an object, so that all who play one picture share
/// its frames.
public final class TransformedFrameSource: FrameSource {
  /// The properties that each frame has besides its pixels.
  private struct Look: Sendable {
    let format: ImageFormat?
    let metadata: ImageMetadata
    let scaleFactor: Double
    let traits: ImageTraits

    func frame(_ bitmap: Bitmap) -> Image {
      var image = Image(bitmap, format: format, metadata: metadata, traits: traits)
      image.scaleFactor = scaleFactor
      return image
    }
  }

  private let base: any FrameSource
  private let transformer: any Transformer
  private let limits: Limits
  private let context: ImageContext
  private let look: Look?
  private let first: Bitmap

  /// Creates the source; it transforms the first frame, which tells the size of all.
  public convenience init(_ base: any FrameSource, transformer: any Transformer, work: WorkContext) throws {
    try self.init(base, look: nil, transformer: transformer, work: work) { _ in }
  }

  /// Creates the source of a picture's frames, each of which goes to the transformer with what is said of the picture.
  fileprivate convenience init(
    _ base: any FrameSource, of image: Image, transformer: any Transformer, work: WorkContext,
    told: (Image) -> Void
  ) throws {
    let look = Look(
      format: image.format, metadata: image.metadata, scaleFactor: image.scaleFactor, traits: image.traits)
    try self.init(base, look: look, transformer: transformer, work: work, told: told)
  }

  private init(
    _ base: any FrameSource, look: Look?, transformer: any Transformer, work: WorkContext, told: (Image) -> Void
  ) throws {
    try work.checkCancellation()
    let poster = try PluginChecks.frame(at: 0, of: base, work: work)
    let made = try transformer.transformed(look?.frame(poster) ?? Image(poster), work: work)
    try work.limits.check(frameCount: base.count, of: made.size, claimedBy: "A transformed moving picture")
    self.base = base
    self.transformer = transformer
    self.look = look
    limits = work.limits
    context = work.context
    first = made.bitmap
    told(made)
  }

  /// The number of frames.
  public var count: Int { base.count }
  /// How often the whole is played; 0 is forever.
  public var loopCount: Int { base.loopCount }
  /// The size of every transformed frame.
  public var canvasSize: PixelSize { first.size }
  /// The bytes of the first frame and of what stands behind.
  public var memoryCost: Int { base.countableCost + first.memoryCost }

  /// How long the frame at `index` is shown; nothing for a frame that does not exist.
  public func duration(at index: Int) -> Duration { index >= 0 && index < count ? base.duration(at: index) : .zero }

  /// Makes the frame at `index` and transforms it.
  public func frame(at index: Int) throws -> Bitmap {
    try frame(at: index, work: WorkContext(limits: limits, context: context))
  }

  /// Makes the frame at `index` and transforms it as part of some work, which may be given up meanwhile.
  public func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    if index == 0 { return first }
    guard index > 0, index < count else { throw ImageError.noFrame(index, among: count) }
    let made = try PluginChecks.frame(at: index, of: base, work: work)
    let frame = try transformer.transformed(look?.frame(made) ?? Image(made), work: work).bitmap
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
  ///
  /// The format, metadata and scale factor that the transformer gives the first frame are those of the picture.
  public func transformAllFrames(of image: Image, work: WorkContext) throws -> Image {
    guard let frames = image.frames else { return try transformed(image, work: work) }
    var result = image
    let source = try TransformedFrameSource(frames, of: image, transformer: self, work: work) { result = $0 }
    result.frames = source
    return result
  }
}

extension ImageError {
  static func noFrame(_ index: Int, among count: Int) -> ImageError {
    ImageError(.badImageData, "There is no frame \(index) among \(count).")
  }
}
