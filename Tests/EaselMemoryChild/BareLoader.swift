import EaselCore
import FoundationEssentials

/// Delivers a few bytes that differ for each URL, and keeps nothing.
struct BareLoader: ImageLoader {
  let cacheIdentity = CacheIdentity.plain

  func canLoad(_ url: URL) -> Bool { true }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let body = BareCoder.signature + Array(request.url.path.utf8)
    let head = ResponseHead(status: 200, expectedLength: body.count)
    if try !sink.beginAtOnce(head) { try await sink.begin(head) }
    guard body.withUnsafeBytes(sink.append) == .more else { throw CancellationError() }
    return .body(nil)
  }
}
