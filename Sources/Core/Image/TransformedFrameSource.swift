/// The frames of a moving picture, each transformed on demand.
///
/// It keeps only the first transformed frame. It is a class, so that all players of one picture share its frames.
package final class TransformedFrameSource: FrameSource {
  /// The properties that each frame has besides its pixels.
  private struct Look: Sendable {
    let format: ImageFormat?
    let metadata: ImageMetadata
    let scaleFactor: Double
    let traits: Image.Traits

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

  /// Creates the source and transforms the first frame, which determines the size of all frames.
  package convenience init(_ base: any FrameSource, transformer: any Transformer, work: WorkContext) throws {
    try self.init(base, look: nil, transformer: transformer, work: work) { _ in }
  }

  /// Creates the source for the frames of an image.
  ///
  /// The transformer sees each frame with the properties of the image.
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
    let (made, fixed) = try transformer.transformedFirst(look?.frame(poster) ?? Image(poster), work: work)
    try work.limits.check(frameCount: base.count, of: made.size, claimedBy: "A transformed moving picture")
    self.base = base
    self.transformer = fixed
    self.look = look
    limits = work.limits
    context = work.context
    first = made.bitmap
    told(made)
  }

  /// The number of frames.
  package var count: Int { base.count }
  /// The number of times that all frames are played; 0 means forever.
  package var loopCount: Int { base.loopCount }
  /// The size of every transformed frame.
  package var canvasSize: PixelSize { first.size }
  /// The bytes of the first transformed frame and of the original source.
  package var memoryCost: Int { base.countableCost + first.memoryCost }

  /// The time that the frame at `index` is shown; zero when it does not exist.
  package func duration(at index: Int) -> Duration { index >= 0 && index < count ? base.duration(at: index) : .zero }

  /// Makes the frame at `index` and transforms it.
  package func frame(at index: Int) throws -> Bitmap {
    try frame(at: index, work: WorkContext(limits: limits, context: context))
  }

  /// Makes and transforms the frame at `index` as part of some work, which may be cancelled before the frame is done.
  package func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    if index == 0 { return first }
    guard index > 0, index < count else { throw ImageError.noFrame(index, among: count) }
    let made = try PluginChecks.frame(at: index, of: base, work: work)
    let frame = try transformer.transformed(look?.frame(made) ?? Image(made), work: work).bitmap
    guard frame.size == first.size else {
      throw ImageError(
        .transformFailed,
        "\(transformer.cacheKey) made frame \(index) \(frame.size), but the first frame \(first.size); all frames of a "
          + "moving picture must have the same size.")
    }
    return frame
  }
}

extension Transformer {
  /// Transforms every frame of a moving picture on demand; a still picture is transformed at once.
  ///
  /// The picture gets the format, metadata and scale factor that the transformer gives its first frame.
  package func transformAllFrames(of image: Image, work: WorkContext) throws -> Image {
    guard let frames = image.frames else { return try transformed(image, work: work) }
    var result = image
    let source = try TransformedFrameSource(frames, of: image, transformer: self, work: work) { result = $0 }
    result.frames = source
    return result
  }
}

extension ImageError {
  package static func noFrame(_ index: Int, among count: Int) -> ImageError {
    ImageError(.badImageData, "There is no frame \(index): the picture has \(count), counted from 0.")
  }
}
