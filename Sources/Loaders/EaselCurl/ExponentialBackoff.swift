import CEaselCurl
import EaselCore
import FoundationEssentials

/// Repeats failed loads that may succeed next time, after waits that double each time.
///
/// Only idempotent requests are repeated.
///
/// Policies with the same settings are equal, so that loads with equal policies share their transfer. A policy with its
/// own `random` or `now` is equal only to its copies.
public struct ExponentialBackoff: RetryPolicy, Hashable {
  /// The most attempts, including the first.
  public var attempts: Int
  /// The wait after the first attempt, before a random part is subtracted.
  public var base: Duration
  /// The longest wait, unless the server asks for a longer one.
  public var longest: Duration
  /// The longest wait that a server may ask for with `Retry-After`; if it asks for more, the load fails.
  public var longestRetryAfter: Duration

  private let sources: Sources

  /// The sources of random numbers and of the time.
  ///
  /// Closures cannot be compared, but this object can be.
  private final class Sources: Hashable, Sendable {
    static let usual = Sources(random: nil, now: nil)

    let random: @Sendable () -> Double
    let now: @Sendable () -> Date

    init(random: (@Sendable () -> Double)?, now: (@Sendable () -> Date)?) {
      self.random = random ?? { .random(in: 0..<1) }
      self.now = now ?? { Date() }
    }

    static func == (left: Sources, right: Sources) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// Sets how often a load is tried, and how long it waits in between.
  ///
  /// - Parameters:
  ///   - attempts: the most attempts, including the first.
  ///   - base: the wait after the first attempt; each further attempt doubles it.
  ///   - longest: the longest wait, unless the server asks for a longer one.
  ///   - longestRetryAfter: the longest wait that a server may ask for.
  ///   - random: returns a number from 0 up to 1, by which up to half of each wait is subtracted, so that clients do
  ///     not all return at the same moment; nil for the system's random numbers.
  ///   - now: returns the time with which a date in `Retry-After` is compared; nil for the system's time.
  public init(
    attempts: Int = 3, base: Duration = .milliseconds(500), longest: Duration = .seconds(30),
    longestRetryAfter: Duration = .seconds(60), random: (@Sendable () -> Double)? = nil,
    now: (@Sendable () -> Date)? = nil
  ) {
    self.attempts = attempts
    self.base = base
    self.longest = longest
    self.longestRetryAfter = longestRetryAfter
    sources = random == nil && now == nil ? .usual : Sources(random: random, now: now)
  }

  /// Repeats idempotent requests after lost connections, timeouts, cut bodies, and statuses that mean "later".
  public func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision {
    guard attempt < attempts, Self.idempotentMethods.contains(request.method), isPassing(error) else { return .giveUp }
    guard let asked = retryAfter(error) else { return .retry(after: wait(attempt)) }
    return asked <= longestRetryAfter ? .retry(after: max(asked, .zero)) : .giveUp
  }

  /// The methods that may be repeated, as HTTP defines them.
  private static let idempotentMethods: Set = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]

  private static let passingStatuses: Set = [408, 425, 429, 500, 502, 503, 504]

  /// True when another attempt may succeed.
  private func isPassing(_ error: ImageError) -> Bool {
    switch error.code {
    case .timedOut, .truncatedBody: return true
    case .network:
      guard let failure = error.causes.lazy.compactMap({ $0 as? CurlLoader.Failure }).first else { return true }
      return !failure.isPermanent
    case .badStatus: return error.status.map(Self.passingStatuses.contains) ?? false
    default: return false
    }
  }

  /// The limit of every wait, in seconds: a longer one never ends in practice, and some would overflow the clock.
  private static let longestWait: Double = 1_000_000_000

  private func wait(_ attempt: Int) -> Duration {
    // After 30 doublings, every base is longer than any sensible wait.
    let doubled = base / .seconds(1) * Double(1 << min(max(attempt, 1) - 1, 30))
    let full = max(0, min(longest / .seconds(1), doubled, Self.longestWait))
    let chance = sources.random()
    return .seconds(full * (1 - (chance > 0 ? min(chance, 1) : 0) / 2))
  }

  private func retryAfter(_ error: ImageError) -> Duration? {
    guard let text = error.response?.headers["Retry-After"], !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return .seconds(min(Double(text) ?? Self.longestWait, Self.longestWait))
    }
    let date = curl_getdate(text, nil)
    return date > 0 ? .seconds(min(Double(date) - sources.now().timeIntervalSince1970, Self.longestWait)) : nil
  }
}

extension RetryPolicy where Self == ExponentialBackoff {
  /// Repeats failed loads that may succeed next time, with waits that double; see ``EaselCurl/ExponentialBackoff``.
  public static func exponentialBackoff(attempts: Int = 3, base: Duration = .milliseconds(500)) -> Self {
    ExponentialBackoff(attempts: attempts, base: base)
  }
}
