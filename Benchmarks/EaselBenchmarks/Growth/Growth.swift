import Easel
import EaselBenchmarkHarness
import EaselTestServers
import FoundationEssentials

/// What a picture costs as more and more are cached or under way, to see whether it stays the same.
enum Growth {
  static let header = "series,count,microseconds,peak bytes"

  /// Measures all series, passing each point on when it is known.
  ///
  /// `wants` is asked for each kind: "memory", "disk", "loads" and "pictures".
  static func measure(
    isQuick: Bool, wants: (String) -> Bool = { _ in true }, _ report: (GrowthPoint) -> Void
  ) async throws {
    for count in counts(upTo: 100_000) where wants("memory") {
      report(try memoryHit(count))
      report(dictionaryHit(count))
      report(try memoryStore(count))
      report(try await managerHit(count))
    }
    for count in counts(upTo: isQuick ? 10_000 : 100_000) where wants("disk") { try disk(count).forEach(report) }
    for count in counts(from: 1, upTo: 10_000) where wants("loads") { report(try await loadsInFlight(count)) }
    guard NginxServer.isAvailable, wants("pictures") else { return }
    for count in counts(from: 1, upTo: isQuick ? 100 : 1000) {
      for isStored in [false, true] { report(try await pictures(count, isStored: isStored)) }
    }
  }

  private static func counts(from first: Int = 10, upTo last: Int) -> [Int] {
    Array(sequence(first: first) { $0 < last ? $0 * 10 : nil })
  }

  /// The best of several rounds, per picture: what disturbs a round only ever makes it longer.
  static func best(of rounds: Int = 3, per count: Int, _ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<rounds {
      let start = ContinuousClock.now
      try body()
      best = min(best, start.duration(to: .now) / .microseconds(1))
    }
    return best / Double(count)
  }

  static func bestAsync(of rounds: Int = 3, per count: Int, _ body: () async throws -> Void) async rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<rounds {
      let start = ContinuousClock.now
      try await body()
      best = min(best, start.duration(to: .now) / .microseconds(1))
    }
    return best / Double(count)
  }

  static func key(_ number: Int) -> CacheKey { CacheKey(original: url(number)) }

  static func url(_ number: Int) -> String { "https://images.example.org/albums/2026/picture-\(number).jpeg" }

  /// Steps over everything in an order that caches of the processor do not foresee.
  static func place(_ turn: Int, of count: Int) -> Int { turn &* 7919 % count }
}
