/// Decides whether a failed attempt is repeated.
///
/// Loads share a transfer when they have the same policy: the same object, or equal values of a `Hashable` type.
public protocol RetryPolicy: Sendable {
  /// What to do after `attempt`, counted from 1, failed.
  func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision
}
