import Easel
import EaselBenchmarkHarness
import EaselTestServers
import FoundationEssentials

/// The cost of one picture as the number of cached or loading pictures grows; it should stay constant.
enum Growth {
  static let header = "series,count,microseconds,peak bytes"

  /// Measures all series and passes each point on as soon as it is known.
  ///
  /// `wants` is called for each kind: "memory", "disk", "loads" and "pictures".
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

  /// The best of several rounds, per picture, because disturbances only make a round longer.
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

  /// Visits all places in an order that the processor's caches cannot predict.
  static func place(_ turn: Int, of count: Int) -> Int { turn &* 7919 % count }
}
