import EaselCore

/// A response modifier that does what a test says, counted, and stopped where the test wants.
public final class FakeResponseModifier: ResponseModifier {
  /// What tells the bytes it leads to from others.
  public let cacheIdentity: String?
  /// Where each call waits, open unless a test closes it.
  public let gate = AsyncGate(isOpen: true)
  private let body: @Sendable (ResponseHead) async throws -> ResponseHead?
  private let seen = Watched<[ResponseHead]>([])

  /// Creates a modifier, which changes nothing unless told to.
  public init(
    cacheIdentity: String? = nil, _ body: @escaping @Sendable (ResponseHead) async throws -> ResponseHead? = { $0 }
  ) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// The heads that it was given, in order.
  public var heads: [ResponseHead] { seen.withLock { $0 } }

  /// Suspends until it was called this often.
  public func waitForCalls(count: Int = 1) async { await seen.wait { $0.count >= count } }

  /// Records the head, waits at the gate, and does what it was told.
  public func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? {
    seen.withLock { $0.append(head) }
    try await gate.pass()
    return try await body(head)
  }
}
