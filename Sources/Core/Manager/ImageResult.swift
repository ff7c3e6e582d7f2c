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
  /// The head of the response, where there was one.
  public let response: ResponseHead?
  /// What the transfer took, where there was one.
  public let metrics: TransferMetrics?
  /// Why the picture could not be refreshed, where it is the cached one for that reason.
  public let revalidationError: ImageError?
}
