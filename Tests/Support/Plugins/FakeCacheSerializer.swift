import EaselCore

/// A cache serializer that runs a test's closure and counts its calls.
public final class FakeCacheSerializer: CacheSerializer {
  private let body: @Sendable (Image, ImageBytes?) throws -> ImageBytes?
  private let seen = Watched<[Bool]>([])

  /// Creates a serializer; by default it returns nil, which leaves the encoding to the manager.
  public init(_ body: @escaping @Sendable (Image, ImageBytes?) throws -> ImageBytes? = { _, _ in nil }) {
    self.body = body
  }

  /// The number of calls.
  public var count: Int { seen.withLock { $0.count } }

  /// For each call, true when it got the received bytes.
  public var hadReceivedBytes: [Bool] { seen.withLock { $0 } }

  /// Runs the closure.
  public func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes? {
    seen.withLock { $0.append(received != nil) }
    return try body(image, received)
  }
}
