import Easel
import FoundationEssentials

// Documentation: writing a cache key filter.
struct NamesWithoutQuery: CacheKeyFilter {
  func original(for url: URL) -> String? {
    // Nil keeps a picture out of every cache.
    if url.path.hasPrefix("/private/") { return nil }
    let text = url.absoluteString
    return String(text.prefix { $0 != "?" && $0 != "#" })
  }
}
