import EaselCore

/// A response modifier that runs a test's closure, records its calls, and can be stopped.
public final class FakeResponseModifier: ResponseModifier {
  /// The modifier's identity in cache keys.
  public let cacheIdentity: CacheIdentity
  /// The gate of each call; open unless a test closes it.
  public let gate = AsyncGate(isOpen: true)
  private let body: @Sendable (ResponseHead) async throws -> ResponseHead?
  private let seen = Watched<[ResponseHead]>([])

  /// Creates a modifier; by default it changes nothing.
  public init(
    cacheIdentity: CacheIdentity = .instance,
    _ body: @escaping @Sendable (ResponseHead) async throws -> ResponseHead? = { $0 }
  ) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// The heads of the calls, in order.
  public var heads: [ResponseHead] { seen.withLock { $0 } }

  /// Suspends until there were this many calls.
  public func waitForCalls(count: Int = 1) async { await seen.wait { $0.count >= count } }

  /// Records the head, waits at the gate and runs the closure.
  public func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? {
    seen.withLock { $0.append(head) }
    try await gate.pass()
    return try await body(head)
  }
}
