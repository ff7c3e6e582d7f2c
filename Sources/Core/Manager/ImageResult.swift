import FoundationEssentials

/// What a load gives.
public struct ImageResult: Sendable {
  /// The picture.
  public let image: Image
  /// Where it came from.
  public let source: ImageSource
  /// What it is called in the caches.
  public let key: CacheKey
  /// The encoded bytes of the picture, where `includeData` asked for them.
  public let bytes: ImageBytes?
  /// What the run tells beside its picture, nil for one that memory had.
  private let picture: Picture?

  /// The entry in memory, nil for a picture of a run.
  private let entry: CacheEntry?

  init(
    _ image: Image, from source: ImageSource, key: CacheKey, bytes: ImageBytes?, of picture: Picture? = nil,
    in entry: CacheEntry? = nil
  ) {
    self.image = image
    self.source = source
    self.key = key
    self.bytes = bytes
    self.picture = picture
    self.entry = entry
  }

  /// The data of the caller's own that is stored beside the picture.
  public var extendedData: Data? { picture?.record.extendedData ?? entry?.record.extendedData }

  /// The head of the response, where there was one.
  public var response: ResponseHead? { picture?.head }

  /// What the transfer took, where there was one.
  public var metrics: TransferMetrics? { picture?.metrics }

  /// Why the picture could not be refreshed, where it is the cached one for that reason.
  public var revalidationError: ImageError? { picture?.revalidationError }
}
