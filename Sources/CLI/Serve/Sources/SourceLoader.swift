import Easel
import EaselService
import FoundationEssentials

/// Loads the sources of one place, and notes how it fares.
struct SourceLoader: ImageLoader {
  let place: SourcePlace
  let inner: any ImageLoader
  let health: SourceHealth

  var cacheIdentity: CacheIdentity { inner.cacheIdentity }

  func canLoad(_ url: URL) -> Bool { place.matches(url) }

  func origin(of url: URL) -> ImageOrigin { inner.origin(of: url) }

  func shouldBlock(_ url: URL, after error: ImageError) -> Bool? { inner.shouldBlock(url, after: error) }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    var request = request
    if let scheme = place.kind.webScheme, scheme != place.kind.rawValue {
      let text = request.url.absoluteString
      guard let url = URL(string: scheme + text[(text.firstIndex(of: ":") ?? text.startIndex)...]) else {
        throw ImageError(.invalidURL, "The address cannot be written as one of \(scheme).", subject: text)
      }
      request.url = url
    }
    do {
      let result = try await inner.load(request, into: sink)
      health.note(.loaded)
      return result
    } catch {
      if let outcome = SourceHealth.Outcome(error) { health.note(outcome) }
      throw error
    }
  }
}
