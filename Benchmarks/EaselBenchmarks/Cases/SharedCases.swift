import EaselBenchmarkHarness
import EaselCore
import EaselRedis
import EaselTestServers
import FoundationEssentials

/// Hits of a shared store on loopback, beside the benchmark that comes with Redis.
func sharedCases() -> [BenchmarkCase] {
  [
    hitCase("hit of 20 KB in Redis", atOnce: 1, pipelined: 1, atMost: 1.5),
    hitCase("hit of 20 KB in Redis, 32 callers", atOnce: 32, pipelined: 1, atMost: 1.5),
    hitCase("hit of 20 KB in Redis, 32 callers", atOnce: 1, pipelined: 32, atMost: 2),
  ]
}

private let bodySize = 20 << 10

/// Redis' benchmark asks on `atOnce` connections, and sends `pipelined` commands at a time on each.
private func hitCase(_ name: String, atOnce: Int, pipelined: Int, atMost bar: Double) -> BenchmarkCase {
  let way = pipelined > 1 ? "redis-benchmark, pipelined" : "redis-benchmark"
  return BenchmarkCase(name, group: "shared", against: way, atMost: bar) {
    guard RedisServer.isAvailable else { throw BenchmarkUnavailable(RedisServer.missing ?? "Redis is missing") }
    let server = try RedisServer()
    let configuration = RedisConfiguration(.one(.tcp(host: "127.0.0.1", port: server.port)))
    let store = try RedisStore(RedisStore.Configuration(configuration))
    let key = CacheKey(original: "http://host/picture", suffixes: [CacheKey.Suffix("resize(320)")])
    let record = CacheRecord(stored: Date(), generation: 1, mimeType: "image/webp")
    try await store.store(
      CacheEntry(bytes: ImageBytes([UInt8](repeating: 7, count: bodySize)), record: record), for: key)
    try server.run("SET", "plain", String(repeating: "7", count: bodySize))
    let callers = max(atOnce, pipelined)
    return BenchmarkPair(
      subject: .asyncCall {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<callers {
            group.addTask {
              for _ in 0..<rounds / callers {
                guard try await store.entry(for: key) != nil else { throw JobFailure(description: "the entry is gone") }
              }
            }
          }
          try await group.waitForAll()
        }
      },
      baseline: .timed { repetitions in
        let count = repetitions * rounds
        let rate = try server.benchmark(
          "-n", "\(count)", "-c", "\(atOnce)", "-P", "\(pipelined)", "GET", "plain")
        return Double(count) / rate
      })
  }
}

/// The hits of one measured call, enough for redis-benchmark to count.
private let rounds = 3200
