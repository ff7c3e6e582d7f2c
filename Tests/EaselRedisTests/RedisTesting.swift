import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Synchronization

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

  /// A coordinator that waits as long for the server, and holds its claims as long, as a slow machine needs.
  static func coordinator(
    _ store: RedisStore, lease: Duration = .seconds(60), clock: any ImageClock = SystemClock()
  ) -> RedisCoordinator {
    RedisCoordinator(store, lookingIn: store, lease: lease, answerTime: .seconds(30), clock: clock)
  }
}

/// Runs work that blocks on a thread of its own.
func runBlocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    PlainThread.start { continuation.resume(with: Result(catching: body)) }
  }
}
