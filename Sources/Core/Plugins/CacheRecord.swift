import FoundationEssentials

/// What is known about an entry of a cache.
public struct CacheRecord: Hashable, Sendable, Codable {
  /// When it was stored.
  public var stored: Date
  /// Which bytes of the original it is or was made of: changed whenever the original's bytes change.
  public var generation: UInt64
  /// The format of the bytes, by what they are and not by what a server called them.
  public var mimeType: String?
  /// What the server said about the original, nil where no server did.
  public var response: ResponseRecord?
  /// Data of the caller's own.
  public var extendedData: Data?
  /// The properties of the picture that its bytes cannot tell, nil for bytes that are kept as they came.
  public var picture: PictureRecord?

  /// Creates a record.
  public init(
    stored: Date, generation: UInt64, mimeType: String? = nil, response: ResponseRecord? = nil,
    extendedData: Data? = nil, picture: PictureRecord? = nil
  ) {
    self.stored = stored
    self.generation = generation
    self.mimeType = mimeType
    self.response = response
    self.extendedData = extendedData
    self.picture = picture
  }
}

/// What is kept of a server's answer to judge later whether it may still be used.
public struct ResponseRecord: Hashable, Sendable, Codable {
  /// The status.
  public var status: Int
  /// The header fields of the response, without those of the connection that it came on.
  public var headers: HTTPHeaders
  /// When the request was sent.
  public var requested: Date
  /// When the response came.
  public var received: Date
  /// The values of the request's fields that the response says it varies with, except of those that are in its key.
  public var varyingFields: HTTPHeaders
  /// The URL that answered, where redirects led to it; else nil.
  public var redirectedURL: URL?
  /// Until when the redirects that led to it may be taken to lead there still; nil for ever.
  public var redirectsExpire: Date?

  /// Creates a record.
  public init(
    status: Int, headers: HTTPHeaders, requested: Date, received: Date, varyingFields: HTTPHeaders = [:]
  ) {
    self.status = status
    self.headers = headers
    self.requested = requested
    self.received = received
    self.varyingFields = varyingFields
  }

  /// What is left of the head of the response.
  var head: ResponseHead { ResponseHead(url: redirectedURL, status: status, headers: headers) }
}

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
