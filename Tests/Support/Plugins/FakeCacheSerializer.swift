import EaselCore

/// A cache serializer that does what a test says, counted.
public final class FakeCacheSerializer: CacheSerializer {
  private let body: @Sendable (Image, ImageBytes?) throws -> ImageBytes?
  private let seen = Watched<[Bool]>([])

  /// Creates a serializer, which leaves it to the manager unless told what to do.
  public init(_ body: @escaping @Sendable (Image, ImageBytes?) throws -> ImageBytes? = { _, _ in nil }) {
    self.body = body
  }

  /// How often it was called.
  public var count: Int { seen.withLock { $0.count } }

  /// For each call whether the received bytes were there.
  public var hadReceivedBytes: [Bool] { seen.withLock { $0 } }

  /// Does what it was told.
  public func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes? {
    seen.withLock { $0.append(received != nil) }
    return try body(image, received)
  }
}
