/// Chooses the bytes that are stored on disk for a picture.
///
/// A call may block: it runs on a worker thread, no longer than `Limits.decodeTime`. Loads share their work when they
/// have the same serializer: the same object, or equal values of a `Hashable` type.
///
/// ```swift
/// configuration.cacheSerializer = .closure { image, received in
///   image.size.area > 50_000_000 ? nil : received
/// }
/// ```
public protocol CacheSerializer: Sendable {
  /// Returns the bytes to store; nil leaves the choice to the manager.
  ///
  /// `received` holds the received bytes if the pixels were not changed.
  func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes?
}

extension ClosurePlugin: CacheSerializer where Call == @Sendable (Image, ImageBytes?) throws -> ImageBytes? {
  /// Calls the closure.
  public func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes? {
    try call(image, received)
  }
}

extension CacheSerializer where Self == ClosurePlugin<@Sendable (Image, ImageBytes?) throws -> ImageBytes?> {
  /// Calls `body` with the picture and the received bytes.
  public static func closure(_ body: @escaping @Sendable (Image, ImageBytes?) throws -> ImageBytes?) -> Self {
    ClosurePlugin(.instance, body)
  }
}
