import FoundationEssentials

/// Brings the bytes, or the picture, behind a URL.
public protocol ImageLoader: Sendable {
  /// What tells the bytes of this loader from those of others: empty for the plain web, nil for "this instance only".
  var cacheIdentity: String? { get }

  /// Whether it takes such a URL.
  func canLoad(_ url: URL) -> Bool

  /// How pictures from such a URL are named and kept.
  func origin(of url: URL) -> ImageOrigin

  /// Loads; the head and the bytes go to `sink` in order, and cancelling the task ends it.
  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult

  /// Whether a URL that failed like this is not tried again for a while; nil leaves it to the manager.
  func shouldBlock(_ url: URL, after error: ImageError) -> Bool?
}

extension ImageLoader {
  /// Named by its URL and kept everywhere.
  public func origin(of url: URL) -> ImageOrigin { ImageOrigin(key: url.absoluteString, scope: cacheIdentity) }

  /// Leaves it to the manager.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? { nil }
}
