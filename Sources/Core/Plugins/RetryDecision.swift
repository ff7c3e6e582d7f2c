/// What to do after a failed attempt.
public enum RetryDecision: Hashable, Sendable {
  /// Report the failure.
  case giveUp
  /// Try again after a while.
  case retry(after: Duration)
}
