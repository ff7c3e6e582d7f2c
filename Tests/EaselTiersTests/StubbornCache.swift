import EaselCore
import EaselTestSupport

/// A cache whose queries ignore cancellation, as queries across a network may.
final class StubbornCache: ImageCache {
  let gate = AsyncGate()
  private let wasCancelled = AsyncGate()

  func waitForCancellation() async { try? await wasCancelled.pass() }

  func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
    await withTaskCancellationHandler {
      // A separate task does not see the cancellation.
      await Task { try? await gate.pass() }.value
    } onCancel: {
      wasCancelled.open()
    }
    return nil
  }

  func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {}
  func renew(
    _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {}
  func remove(_ key: CacheKey, from layers: CacheLayers) async throws {}
  func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers { [] }
  func clear(_ layers: CacheLayers) async throws {}
  func trim(_ layers: CacheLayers) async throws {}
  func count(in layer: CacheLayers) async throws -> Int { 0 }
  func size(of layer: CacheLayers) async throws -> Int { 0 }
}
