/// A cache serializer made of a closure.
public struct ClosureCacheSerializer: CacheSerializer {
  let body: @Sendable (Image, ImageBytes?) throws -> ImageBytes?

  /// Calls the closure.
  public func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes? {
    try body(image, received)
  }
}

extension CacheSerializer where Self == ClosureCacheSerializer {
  /// Calls `body` with the picture and the received bytes.
  public static func closure(_ body: @escaping @Sendable (Image, ImageBytes?) throws -> ImageBytes?) -> Self {
    Self(body: body)
  }
}
