/// Decides whether a failed attempt is repeated.
public protocol RetryPolicy: Sendable {
  /// What to do after `attempt`, counted from 1, failed.
  func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision
}
