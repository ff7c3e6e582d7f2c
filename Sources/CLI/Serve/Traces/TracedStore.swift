import Easel
import EaselObserving
import FoundationEssentials

/// A shared store whose calls are spans of the traces to which they belong.
struct TracedStore: SharedStore {
  let store: any SharedStore
  /// The name of the engine.
  let name: String
  let spans: OTLPTraces

  private func traced<Value>(_ call: String, _ body: () async throws -> Value) async throws -> Value {
    guard TraceContext.current != nil else { return try await body() }
    let span = spans.begin("\(name) \(call)", at: Date())
    do {
      let value = try await body()
      span.end(at: Date(), [:], nil)
      return value
    } catch {
      span.end(at: Date(), [:], ImageError.wrapping(error, as: .cacheFailed, "The store failed.", subject: nil))
      throw error
    }
  }

  func entry(for key: CacheKey) async throws -> CacheEntry? {
    try await traced("get") { try await store.entry(for: key) }
  }

  func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    try await traced("put") { try await store.store(entry, for: key) }
  }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    try await traced("renew") { try await store.renew(response, ofOriginal: key, generation: generation) }
  }

  func remove(_ key: CacheKey) async throws { try await store.remove(key) }
  func contains(_ key: CacheKey) async throws -> Bool { try await store.contains(key) }
  func removeAll() async throws { try await store.removeAll() }
  func count() async throws -> Int? { try await store.count() }
  func totalSize() async throws -> Int? { try await store.totalSize() }
}
