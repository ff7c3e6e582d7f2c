import EaselSupport

/// The requests that each client may send in a time: a bucket of tokens for each, which fills again at a rate.
final class ClientRates: Sendable {
  private struct Bucket {
    var tokens: Double
    /// The uptime at which it had so many.
    var time: Duration
  }

  private let limit: ClientRate
  private let capacity: Int
  private let buckets = Locked<[AdmissionClient: Bucket]>([:])

  init(_ limit: ClientRate, capacity: Int = 65_536) {
    self.limit = limit
    self.capacity = max(2, capacity)
  }

  var count: Int { buckets.withLock { $0.count } }

  /// Takes a token of a client; returns the time until it has one again, or nil if it had one.
  func take(by client: AdmissionClient, at now: Duration) -> Duration? {
    buckets.withLock { buckets in
      if buckets[client] == nil, buckets.count >= capacity { makeRoom(&buckets, at: now) }
      var tokens = tokens(of: buckets[client], at: now)
      guard tokens >= 1 else { return .seconds((1 - tokens) / limit.perSecond) }
      tokens -= 1
      buckets[client] = Bucket(tokens: tokens, time: now)
      return nil
    }
  }

  private func tokens(of bucket: Bucket?, at now: Duration) -> Double {
    let most = Double(limit.burst)
    guard let bucket else { return most }
    return min(most, bucket.tokens + (now - bucket.time) / .seconds(1) * limit.perSecond)
  }

  /// Forgets clients whose buckets are full again, or else those that sent their last request longest ago.
  private func makeRoom(_ buckets: inout [AdmissionClient: Bucket], at now: Duration) {
    buckets = buckets.filter { tokens(of: $0.value, at: now) < Double(limit.burst) }
    guard buckets.count >= capacity else { return }
    let kept = buckets.sorted { $0.value.time > $1.value.time }.prefix(capacity / 2)
    buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
