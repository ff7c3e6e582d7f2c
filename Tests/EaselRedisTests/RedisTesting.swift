import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import EaselRedis

/// Stores on the server of the tests.
enum RedisTesting {
  private static let lastNumber = Atomic(0)

  /// A prefix that no other test uses.
  static func newPrefix() -> String { "test\(lastNumber.add(1, ordering: .relaxed).newValue)" }

  static func configuration(_ server: RedisServer? = nil, prefix: String = newPrefix()) async throws
    -> RedisStore.Configuration
  {
    let server = if let server { server } else { try await RedisServer.shared() }
    var servers = RedisConfiguration(.one(.tcp(host: "127.0.0.1", port: server.port)))
    // A machine on which many tests run is slow.
    servers.connectTime = .seconds(10)
    servers.answerTime = .seconds(30)
    var configuration = RedisStore.Configuration(servers)
    configuration.prefix = prefix
    return configuration
  }

  static func store(_ server: RedisServer? = nil) async throws -> RedisStore {
    try await RedisStore(configuration(server))
  }

  /// Lets a machine whose clock stands still store, renew and claim after another one has removed everything.
  static func noticesRemovals(_ store: RedisStore, _ other: RedisStore, _ key: CacheKey) async throws {
    let claims = coordinator(other)
    try await other.store(CacheEntry.plain([1]), for: key)
    #expect(try await other.entry(for: key) != nil)
    try await store.removeAll()
    guard case .yours(let claim) = await claims.claim(FlightKey(.variant, key), within: .seconds(60)) else {
      Issue.record("The claim gave an entry that was removed.")
      return
    }
    await claim.end(.abandoned)
    try await store.removeAll()
    try await other.store(CacheEntry.plain([2], generation: 2, stored: 2000), for: key)
    #expect(try await store.entry(for: key)?.plainBytes == [2])
    // Older bytes are refused after it.
    try await store.store(CacheEntry.plain([1]), for: key)
    #expect(try await store.entry(for: key)?.plainBytes == [2])
    try await store.removeAll()
    try await store.store(CacheEntry.plain([2], generation: 2, stored: 2000), for: key)
    try await other.renew(nil, ofOriginal: key, generation: 3)
    #expect(try await store.entry(for: key) == nil)
  }

  /// A coordinator that waits as long for the server, and holds its claims as long, as a slow machine needs.
  static func coordinator(
    _ store: RedisStore, lease: Duration = .seconds(300), clock: any ImageClock = SystemClock()
  ) -> RedisCoordinator {
    RedisCoordinator(store, lookingIn: store, lease: lease, answerTime: .seconds(30), clock: clock)
  }
}
