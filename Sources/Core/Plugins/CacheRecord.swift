import FoundationEssentials

/// The properties of a cache entry: its age, its content and the response that it came from.
public struct CacheRecord: Hashable, Sendable, Codable {
  /// The time at which the entry was stored.
  public var stored: Date
  /// The generation of the original bytes that the entry was made from.
  ///
  /// It changes whenever those bytes change.
  public var generation: UInt64
  /// The format of the bytes, detected from the bytes and not from the server's headers.
  public var mimeType: String?
  /// The server's response for the original; nil when no server was involved.
  public var response: CacheRecord.Response?
  /// The caller's own data.
  public var extendedData: Data?
  /// The properties of the picture that its stored bytes cannot express; nil if the bytes are stored as received.
  public var picture: CacheRecord.ImageProperties?
  /// The size of the picture in an encoded variant; nil for other entries.
  public var encodedSize: PixelSize?
  /// The digest of the key under which the entry was stored; nil if it is unknown, as in entries of version 1.0.
  ///
  /// The manager sets it when it stores an entry. An entry with the digest of another key counts as missing.
  public var keyDigest: UInt64?

  /// Records when an entry was stored, and the generation of the bytes that it was made from.
  public init(
    stored: Date, generation: UInt64, mimeType: String? = nil, response: CacheRecord.Response? = nil,
    extendedData: Data? = nil, picture: CacheRecord.ImageProperties? = nil, encodedSize: PixelSize? = nil
  ) {
    self.stored = stored
    self.generation = generation
    self.mimeType = mimeType
    self.response = response
    self.extendedData = extendedData
    self.picture = picture
    self.encodedSize = encodedSize
  }
}

extension CacheRecord {
  /// The parts of a response that later decide whether it may still be used.
  public struct Response: Hashable, Sendable, Codable {
    /// The HTTP status.
    public var status: Int
    /// The header fields of the response, without those that concern the connection.
    public var headers: HTTPHeaders
    /// The time at which the request was sent.
    public var requested: Date
    /// The time at which the response arrived.
    public var received: Date
    /// The request's values of the fields that `Vary` names, without fields that are part of the key.
    public var varyingFields: HTTPHeaders
    /// The URL that responded after redirects; nil without redirects.
    public var redirectedURL: URL?
    /// The time until which the redirects are valid; nil when they do not expire.
    public var redirectsExpire: Date?
    /// True when the request that was sent forbids storing the response; never true in a stored entry.
    package var isUnwanted = false

    private enum CodingKeys: CodingKey {
      case status, headers, requested, received, varyingFields, redirectedURL, redirectsExpire
    }

    /// Keeps the parts of a response that decide how long it is fresh.
    public init(
      status: Int, headers: HTTPHeaders, requested: Date, received: Date, varyingFields: HTTPHeaders = [:]
    ) {
      self.status = status
      self.headers = headers
      self.requested = requested
      self.received = received
      self.varyingFields = varyingFields
    }
  }
}

extension CacheRecord {
  /// The properties of a picture that its stored bytes cannot express because the picture was encoded anew.
  public struct ImageProperties: Hashable, Sendable, Codable {
    /// The format of the original file.
    public var format: ImageFormat?
    /// The size of the picture in the original file.
    public var storedSize: PixelSize
    /// The orientation that must still be applied to the pixels.
    public var orientation: ImageMetadata.Orientation
    /// The density that the original file stated.
    public var density: ImageMetadata.Density?
    /// The traits that the picture got from its processing.
    public var traits: Image.Traits
    /// The number of pixels per point.
    public var scaleFactor: Double
    /// How often the picture is played; nil for a still picture.
    public var loopCount: Int?
    /// True when the bytes hold the finished pixels, which a decoder must neither rotate nor convert to other colours.
    public var hasFinishedPixels: Bool

    /// Creates the record of a picture.
    public init(of image: Image, hasFinishedPixels: Bool) {
      format = image.format
      storedSize = image.metadata.storedSize
      orientation = image.metadata.orientation
      density = image.metadata.density
      traits = image.traits
      if image.metadata.gainMap != nil { traits.insert(.lostGainMap) }
      scaleFactor = image.scaleFactor
      loopCount = image.frames?.loopCount
      self.hasFinishedPixels = hasFinishedPixels
    }

    package init(
      format: ImageFormat?, storedSize: PixelSize, orientation: ImageMetadata.Orientation,
      density: ImageMetadata.Density?,
      traits: Image.Traits, scaleFactor: Double, loopCount: Int?, hasFinishedPixels: Bool
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

    /// Restores the recorded properties of a picture that was decoded from the stored bytes.
    package func restore(_ image: inout Image) {
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
}

/// Frames with the loop count of the record, because the file could not express it.
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
