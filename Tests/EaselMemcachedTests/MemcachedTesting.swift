import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Synchronization

@testable import EaselMemcached

/// Stores on the server of the tests.
enum MemcachedTesting {
  private static let lastNumber = Atomic(0)

  static func configuration(port: Int? = nil) async throws -> MemcachedStore.Configuration {
    let chosen = if let port { port } else { try await MemcachedProcess.shared().port }
    var configuration = MemcachedStore.Configuration([("127.0.0.1", chosen)])
    configuration.prefix = "test\(lastNumber.add(1, ordering: .relaxed).newValue)"
    configuration.clearDelay = .zero
    // A machine on which many tests run is slow.
    configuration.connectTime = .seconds(10)
    configuration.answerTime = .seconds(30)
    return configuration
  }

  static func store(port: Int? = nil) async throws -> MemcachedStore {
    try await MemcachedStore(configuration(port: port))
  }

  /// A coordinator that waits as long for the server, and holds its claims as long, as a slow machine needs.
  static func coordinator(_ store: MemcachedStore) -> MemcachedCoordinator {
    MemcachedCoordinator(store, lease: 60, answerTime: .seconds(30))
  }
}
