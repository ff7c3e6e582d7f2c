import Easel

// Documentation: writing a retry policy.
struct OnceMoreWhenBusy: RetryPolicy, Hashable {
  func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision {
    guard attempt == 1, request.method == "GET", error.status == 503 else { return .giveUp }
    return .retry(after: .seconds(2))
  }
}
