import CEaselCurl
import EaselCore
import FoundationEssentials

/// Repeats what may go well the next time, after waits that double, and never sends twice what may change something.
public struct ExponentialBackoff: RetryPolicy {
  /// The most attempts, the first included.
  public var attempts: Int
  /// The wait after the first attempt, before chance shortens it.
  public var base: Duration
  /// The longest wait that is not asked for by the server.
  public var longest: Duration
  /// The longest wait that a server may ask for with `Retry-After`; where it asks for more, the load fails.
  public var longestRetryAfter: Duration

  private let random: @Sendable () -> Double
  private let now: @Sendable () -> Date

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - attempts: the most attempts, the first included.
  ///   - base: the wait after the first attempt; each one doubles it.
  ///   - longest: the longest wait that is not asked for by the server.
  ///   - longestRetryAfter: the longest wait that a server may ask for.
  ///   - random: a number from 0 up to 1, which takes up to half of each wait, so that clients do not return together.
  ///   - now: the time of day, against which a date in `Retry-After` is held.
  public init(
    attempts: Int = 3, base: Duration = .milliseconds(500), longest: Duration = .seconds(30),
    longestRetryAfter: Duration = .seconds(60), random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.attempts = attempts
    self.base = base
    self.longest = longest
    self.longestRetryAfter = longestRetryAfter
    self.random = random
    self.now = now
  }

  /// Repeats safe requests after lost connections, timeouts, cut bodies, and statuses that say "later".
  public func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision {
    guard attempt < attempts, Self.safeMethods.contains(request.method), isPassing(error) else { return .giveUp }
    guard let asked = retryAfter(error) else { return .retry(after: wait(attempt)) }
    return asked <= longestRetryAfter ? .retry(after: max(asked, .zero)) : .giveUp
  }

  /// Methods that may be repeated, as HTTP defines them.
  private static let safeMethods: Set = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]

  private static let passingStatuses: Set = [408, 425, 429, 500, 502, 503, 504]

  /// Whether it may go better the next time.
  private func isPassing(_ error: ImageError) -> Bool {
    switch error.code {
    case .timedOut, .truncatedBody: return true
    case .network:
      guard let failure = error.causes.lazy.compactMap({ $0 as? CurlFailure }).first else { return true }
      return !failure.isLasting
    case .badStatus: return error.status.map(Self.passingStatuses.contains) ?? false
    default: return false
    }
  }

  private func wait(_ attempt: Int) -> Duration {
    // Beyond 30 doublings every base is longer than any sensible wait.
    let full = min(longest, base * Double(1 << min(max(attempt, 1) - 1, 30)))
    return full * (1 - min(max(random(), 0), 1) / 2)
  }

  private func retryAfter(_ error: ImageError) -> Duration? {
    guard let text = error.response?.headers["Retry-After"] else { return nil }
    if let seconds = Int(text) { return .seconds(min(max(0, seconds), 1_000_000_000)) }
    let date = curl_getdate(text, nil)
    return date > 0 ? .seconds(Double(date) - now().timeIntervalSince1970) : nil
  }
}

extension RetryPolicy where Self == ExponentialBackoff {
  /// Repeats what may go well the next time, after waits that double; see ``ExponentialBackoff``.
  public static func exponentialBackoff(attempts: Int = 3, base: Duration = .milliseconds(500)) -> Self {
    ExponentialBackoff(attempts: attempts, base: base)
  }
}
