import EaselCore
import FoundationEssentials

/// Finds the URLs whose stored responses an unsafe request makes invalid (RFC 9111 section 4.4).
package enum ChangedURLs {
  /// The URLs that the request reached, including redirects, and the URLs that each successful response names on the
  /// same origin.
  ///
  /// If the loader reports no head, it has reported no failure either, so the request counts as successful.
  package static func urls(of request: LoadRequest, answered head: ResponseHead?) -> [URL] {
    guard let head else { return [request.url] }
    var urls: [URL] = []
    var next = request.url
    for answer in head.redirects + [head] {
      let target = answer.url ?? next
      guard (200...399).contains(answer.status ?? 200) else { break }
      let location = place("Location", in: answer, from: target)
      urls +=
        [target]
        + [location, place("Content-Location", in: answer, from: target)].compactMap { $0 }
        .filter { isSameOrigin($0, target) }
      // After such a redirect, the next request only reads.
      if answer.status == 303 || [301, 302].contains(answer.status), request.method == "POST" { break }
      next = location ?? target
    }
    return urls
  }

  private static func place(_ field: String, in head: ResponseHead, from url: URL) -> URL? {
    head.headers[field].flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
  }

  private static func isSameOrigin(_ left: URL, _ right: URL) -> Bool { origin(of: left) == origin(of: right) }

  private static func origin(of url: URL) -> [String?] {
    let url = URLNormalForm.text(of: url.absoluteString).flatMap { URL(string: $0) } ?? url
    let scheme = url.scheme?.lowercased()
    let port = url.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
    return [scheme, url.host()?.lowercased(), port.map { "\($0)" }]
  }
}
