import EaselCore

/// A request modifier that runs a test's closure, records its calls, and can be stopped.
public final class FakeRequestModifier: RequestModifier {
  /// The modifier's identity in cache keys.
  public let cacheIdentity: CacheIdentity
  /// The gate of each call; open unless a test closes it.
  public let gate = AsyncGate(isOpen: true)
  private let body: @Sendable (LoadRequest) async throws -> LoadRequest?
  private let seen = Watched<[LoadRequest]>([])

  /// Creates a modifier; by default it changes nothing.
  public init(
    cacheIdentity: CacheIdentity = .instance,
    _ body: @escaping @Sendable (LoadRequest) async throws -> LoadRequest? = { $0 }
  ) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// The requests of the calls, in order.
  public var requests: [LoadRequest] { seen.withLock { $0 } }

  /// Suspends until there were this many calls.
  public func waitForCalls(count: Int = 1) async { await seen.wait { $0.count >= count } }

  /// Records the request, waits at the gate and runs the closure.
  public func modify(_ request: LoadRequest) async throws -> LoadRequest? {
    seen.withLock { $0.append(request) }
    try await gate.pass()
    return try await body(request)
  }
}
