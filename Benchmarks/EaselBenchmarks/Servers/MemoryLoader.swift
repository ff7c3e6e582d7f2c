import EaselCore
import FoundationEssentials

/// Gives the same bytes for every URL.
struct MemoryLoader: ImageLoader {
  let bytes: ImageBytes

  var cacheIdentity: CacheIdentity { .plain }

  func canLoad(_ url: URL) -> Bool { true }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    .bytes(bytes, ResponseHead(url: request.url))
  }
}
