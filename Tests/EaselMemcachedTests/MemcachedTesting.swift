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

  static func entry(_ bytes: [UInt8], generation: UInt64 = 1, stored: TimeInterval = 1000) -> CacheEntry {
    CacheEntry(
      bytes: ImageBytes(bytes),
      record: CacheRecord(stored: Date(timeIntervalSince1970: stored), generation: generation, mimeType: "image/png"))
  }
}

extension CacheEntry {
  /// The bytes, to compare.
  var plain: [UInt8]? { try? bytes?.withUnsafeBytes { Array($0) } }
}
