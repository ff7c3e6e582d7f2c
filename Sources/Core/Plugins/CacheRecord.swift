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
