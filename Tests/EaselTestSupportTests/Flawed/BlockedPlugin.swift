import EaselCore
import EaselTestSupport
import FoundationEssentials

/// A plug-in of every asynchronous kind that blocks its thread for ever.
final class BlockedPlugin: RequestModifier, ResponseModifier, Decryptor, ImageLoader, ImageCache, SharedStore, WorkGate
{
  var cacheIdentity: CacheIdentity { .named("blocked") }

  func modify(_ request: LoadRequest) async throws -> LoadRequest? { blocked() }
  func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? { blocked() }
  func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes { blocked() }
  func canLoad(_ url: URL) -> Bool { url.scheme == "http" }
  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult { blocked() }
  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void { blocked() }

  func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? { blocked() }
  func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws { blocked() }
  func renew(
    _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws { blocked() }
  func remove(_ key: CacheKey, from layers: CacheLayers) async throws { blocked() }
  func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers { blocked() }
  func clear(_ layers: CacheLayers) async throws { blocked() }
  func trim(_ layers: CacheLayers) async throws { blocked() }
  func count(in layer: CacheLayers) async throws -> Int { blocked() }
  func size(of layer: CacheLayers) async throws -> Int { blocked() }

  func entry(for key: CacheKey) async throws -> CacheEntry? { blocked() }
  func store(_ entry: CacheEntry, for key: CacheKey) async throws { blocked() }
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws { blocked() }
  func remove(_ key: CacheKey) async throws { blocked() }
  func contains(_ key: CacheKey) async throws -> Bool { blocked() }
  func removeAll() async throws { blocked() }

  private func blocked() -> Never {
    blockForever()
    preconditionFailure("It waits for ever.")
  }
}
