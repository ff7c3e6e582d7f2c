/// A retry policy made of a closure.
public struct ClosureRetryPolicy: RetryPolicy {
  let body: @Sendable (ImageError, Int) -> RetryDecision

  /// Calls the closure.
  public func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision {
    body(error, attempt)
  }
}

extension RetryPolicy where Self == ClosureRetryPolicy {
  /// Calls `body` with the error and the number of the attempt that failed, counted from 1.
  public static func closure(_ body: @escaping @Sendable (ImageError, Int) -> RetryDecision) -> Self {
    Self(body: body)
  }
}
