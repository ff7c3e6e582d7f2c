/// Decides whether a failed attempt is repeated.
///
/// Loads share a transfer when they have the same policy: the same object, or equal values of a `Hashable` type.
///
/// ```swift
/// configuration.retryPolicy = .exponentialBackoff(attempts: 5)
/// ```
public protocol RetryPolicy: Sendable {
  /// The decision after attempt number `attempt` failed; the first is 1.
  func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision
}

/// The decision of a retry policy after a failed attempt.
public enum RetryDecision: Hashable, Sendable {
  /// Report the failure.
  case giveUp
  /// Try again after a delay.
  case retry(after: Duration)
}

extension ClosurePlugin: RetryPolicy where Call == @Sendable (ImageError, Int) -> RetryDecision {
  /// Calls the closure.
  public func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision {
    call(error, attempt)
  }
}

extension RetryPolicy where Self == ClosurePlugin<@Sendable (ImageError, Int) -> RetryDecision> {
  /// Calls `body` with the error and the number of the attempt that failed, counted from 1.
  public static func closure(_ body: @escaping @Sendable (ImageError, Int) -> RetryDecision) -> Self {
    ClosurePlugin(.instance, body)
  }
}
