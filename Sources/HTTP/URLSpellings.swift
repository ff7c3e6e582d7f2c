import EaselCore
import EaselSupport
import FoundationEssentials

/// Remembers which URLs were loaded that are not written in their normal form.
///
/// A picture is cached under its URL as it is written. When the thing that the URL names has changed, the entries of all
/// its spellings must be forgotten, and caches cannot be searched for them.
package final class URLSpellings: Sendable {
  private struct State {
    var urls: [String: Set<URL>] = [:]
    var count = 0
  }

  private static let most = 4096
  private let state = Locked(State())

  package init() {}

  /// Remembers a URL that is about to be loaded.
  package func note(_ url: URL) {
    let text = url.absoluteString
    guard !URLNormalForm.isPlain(text), let form = URLNormalForm.text(of: text), !ByteComparison.isSame(form, text)
    else {
      return
    }
    state.withLock { state in
      // New spellings without end make others be forgotten, but take no more memory.
      if state.count >= Self.most { state = State() }
      if state.urls[form, default: []].insert(url).inserted { state.count += 1 }
    }
  }

  /// The spellings of a URL: as it is written, without its fragment, its normal form, and those that were loaded.
  package func all(of url: URL) -> Set<URL> {
    let text = url.absoluteString
    var urls: Set<URL> = [url]
    if let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")), let whole = URL(string: String(text[..<mark])) {
      urls.insert(whole)
    }
    guard let form = URLNormalForm.text(of: text) else { return urls }
    if let normal = URL(string: form) { urls.insert(normal) }
    return urls.union(state.withLock { $0.urls[form] ?? [] })
  }
}
