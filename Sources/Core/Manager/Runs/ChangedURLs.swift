import FoundationEssentials

/// A request that changes something on the server makes void what the caches hold of it.
extension TransferRun {
  /// Forgets, in memory and on disk, what is stored of the URLs that an unsafe request changed, and that they failed.
  func forgetChangedURLs(sent: LoadRequest, answered head: ResponseHead?) async {
    // In a task of its own: the server has changed them even if the caller has given up, and caches do nothing in a task
    // that is cancelled.
    await Task.detached {
      var urls = ChangedURLs.urls(of: sent, answered: head)
      // A modifier may have sent the request elsewhere; its own URL names what it changed, too.
      if !urls.isEmpty { urls.append(request.url) }
      for reader in manager.readers(of: urls, for: request) {
        manager.failedURLs.remove(reader.originalKey)
        do { try await manager.remove(reader, from: .all) } catch { report(error, of: reader.originalKey) }
      }
    }.value
  }
}

extension ImageManager {

  /// The requests that read these URLs, as far as they can be told from the one that changed them: with its settings
  /// and without, with all of its header fields, without those of its body, with those that name a user, and with none.
  fileprivate func readers(of urls: [URL], for request: ResolvedRequest) -> [ResolvedRequest] {
    var processed = configuration
    processed.optionsProcessor = nil
    let names = configuration.identityHeaders
    let user = request.headers.filtered { field in names.contains { HTTPHeaders.isSame($0, field) } }
    let ofNoBody = request.headers.filtered { !HTTPHeaders.folded($0).hasPrefix("content-") }
    var readers: [CacheKey: ResolvedRequest] = [:]
    func add(_ url: URL, _ context: ImageContext, _ headers: HTTPHeaders, _ configuration: Configuration) {
      var context = context
      context[.headers] = headers.isEmpty ? nil : headers
      for options in [request.options, []] {
        let asked = ImageRequest(url: url, options: options, context: context)
        let reader = ResolvedRequest(asked, url: url, configuration: configuration, owner: identity)
        if reader.isCacheable { readers[reader.originalKey] = reader }
      }
    }
    for url in Set(urls.flatMap { [$0, $0.withoutFragment] }) {
      for headers in [request.headers, ofNoBody, user, [:]] { add(url, request.context, headers, processed) }
      for headers in [user, [:]] { add(url, [], headers, configuration) }
    }
    return Array(readers.values)
  }
}

extension URL {
  /// The same without what follows a `#`.
  fileprivate var withoutFragment: URL {
    let text = absoluteString
    guard let mark = text.firstIndex(of: "#") else { return self }
    return URL(string: String(text[..<mark])) ?? self
  }
}

/// The URLs whose stored responses an unsafe request makes invalid: RFC 9111 section 4.4.
enum ChangedURLs {
  /// The URLs to which the request went, redirects included, and those that each good answer names on its own host.
  ///
  /// A loader that tells of no head had no complaint either.
  static func urls(of request: LoadRequest, answered head: ResponseHead?) -> [URL] {
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
      // The request that follows one of these only reads.
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
    let scheme = url.scheme?.lowercased()
    let port = url.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
    return [scheme, url.host()?.lowercased(), port.map { "\($0)" }]
  }
}
