import EaselCore

/// A request modifier that does what a test says, counted, and stopped where the test wants.
public final class FakeRequestModifier: RequestModifier {
  /// What tells the bytes it leads to from others.
  public let cacheIdentity: String?
  /// Where each call waits, open unless a test closes it.
  public let gate = AsyncGate(isOpen: true)
  private let body: @Sendable (LoadRequest) async throws -> LoadRequest?
  private let seen = Watched<[LoadRequest]>([])

  /// Creates a modifier, which changes nothing unless told to.
  public init(
    cacheIdentity: String? = nil, _ body: @escaping @Sendable (LoadRequest) async throws -> LoadRequest? = { $0 }
  ) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// The requests that it was given, in order.
  public var requests: [LoadRequest] { seen.withLock { $0 } }

  /// Suspends until it was called this often.
  public func waitForCalls(count: Int = 1) async { await seen.wait { $0.count >= count } }

  /// Records the request, waits at the gate, and does what it was told.
  public func modify(_ request: LoadRequest) async throws -> LoadRequest? {
    seen.withLock { $0.append(request) }
    try await gate.pass()
    return try await body(request)
  }
}
