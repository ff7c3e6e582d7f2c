import Easel
import FoundationEssentials

// Documentation: writing a loader.
struct AssetLoader: ImageLoader {
  var assets: [String: [UInt8]]

  var cacheIdentity: CacheIdentity { .named("assets") }

  func canLoad(_ url: URL) -> Bool { url.scheme == "asset" }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    guard let name = request.url.host, let bytes = assets[name] else {
      throw ImageError(.unsupportedURL, "There is no such asset.", subject: request.url.absoluteString)
    }
    try await sink.begin(ResponseHead(url: request.url, expectedLength: bytes.count))
    let demand = bytes.withUnsafeBytes { sink.append($0) }
    if demand == .stop { throw CancellationError() }
    return .body(nil)
  }
}
