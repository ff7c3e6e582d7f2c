import EaselCore

/// A retry policy with a list of decisions; requests that may not be repeated are never retried.
public final class FakeRetryPolicy: RetryPolicy {
  private let decisions: [RetryDecision]
  private let seen = Watched<[(error: ImageError, attempt: Int)]>([])

  /// Creates a policy with one decision for each attempt; after the last it gives up.
  public init(_ decisions: RetryDecision...) { self.decisions = decisions }

  /// The numbers of the attempts that failed, in order.
  public var attempts: [Int] { seen.withLock { $0.map(\.attempt) } }

  /// The errors of the attempts that failed, in order.
  public var errors: [ImageError] { seen.withLock { $0.map(\.error) } }

  /// The decision for the attempt; requests that may change something on the server are not repeated.
  public func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision {
    seen.withLock { $0.append((error, attempt)) }
    let isHopeless = [.cancelled, .invalidURL, .unsupportedURL, .blockedURL, .refusedURL, .forbiddenAddress].contains(
      error.code)
    guard !isHopeless, ["GET", "HEAD"].contains(request.method) else { return .giveUp }
    return decisions.indices.contains(attempt - 1) ? decisions[attempt - 1] : .giveUp
  }
}
