/// The properties of a picture that its stored bytes cannot tell, since they are not those that came.
public struct PictureRecord: Hashable, Sendable, Codable {
  /// The format of the file it came from.
  public var format: ImageFormat?
  /// The size in that file.
  public var storedSize: PixelSize
  /// The orientation that the pixels still have.
  public var orientation: ImageOrientation
  /// The density that the file stated.
  public var density: PixelDensity?
  /// The traits that it got on its way.
  public var traits: ImageTraits
  /// How many of its pixels make a point.
  public var scaleFactor: Double
  /// How often it is played, nil for one that does not move.
  public var loopCount: Int?
  /// Whether the bytes hold the finished pixels as they are, so that reading them must not turn or convert them.
  public var hasFinishedPixels: Bool

  /// Creates the record of a picture.
  public init(of image: Image, hasFinishedPixels: Bool) {
    format = image.format
    storedSize = image.metadata.storedSize
    orientation = image.metadata.orientation
    density = image.metadata.density
    traits = image.traits
    scaleFactor = image.scaleFactor
    loopCount = image.frames?.loopCount
    self.hasFinishedPixels = hasFinishedPixels
  }

  package init(
    format: ImageFormat?, storedSize: PixelSize, orientation: ImageOrientation, density: PixelDensity?,
    traits: ImageTraits, scaleFactor: Double, loopCount: Int?, hasFinishedPixels: Bool
  ) {
    self.format = format
    self.storedSize = storedSize
    self.orientation = orientation
    self.density = density
    self.traits = traits
    self.scaleFactor = scaleFactor
    self.loopCount = loopCount
    self.hasFinishedPixels = hasFinishedPixels
  }

  /// Gives a picture that was read from the stored bytes what they could not tell.
  func restore(_ image: inout Image) {
    image.format = format
    image.metadata.storedSize = storedSize
    image.metadata.density = density
    if hasFinishedPixels { image.metadata.orientation = orientation }
    image.traits.formUnion(traits)
    image.scaleFactor = scaleFactor
    if let loopCount, let frames = image.frames, frames.loopCount != loopCount {
      image.frames = RepeatedFrames(frames, loopCount: loopCount)
    }
  }
}

/// Frames that are played as often as the record says, where their file could not say it.
private final class RepeatedFrames: FrameSource {
  let loopCount: Int
  private let base: any FrameSource

  init(_ base: any FrameSource, loopCount: Int) {
    self.base = base
    self.loopCount = loopCount
  }

  var count: Int { base.count }
  var canvasSize: PixelSize { base.canvasSize }
  var memoryCost: Int { base.memoryCost }

  func duration(at index: Int) -> Duration { base.duration(at: index) }

  func frame(at index: Int) throws -> Bitmap { try base.frame(at: index) }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap { try base.frame(at: index, work: work) }
}
