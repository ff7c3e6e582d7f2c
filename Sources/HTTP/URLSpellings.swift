import EaselCore
import EaselSupport
import FoundationEssentials

/// Remembers loaded URLs that are not written in their normal form.
///
/// A picture is cached under its URL as written. When the resource at the URL changes, the entries of all spellings
/// must be removed, and caches cannot be searched for them.
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
      // An endless flow of new spellings makes the table forget all older ones, so that it does not grow.
      if state.count >= Self.most { state = State() }
      if state.urls[form, default: []].insert(url).inserted { state.count += 1 }
    }
  }

  /// The spellings of a URL: as written, without its fragment, in normal form, and as loaded earlier.
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
