import FoundationEssentials

/// Removing cached responses that an unsafe request has made invalid.
extension TransferRun {
  /// Removes everything that is cached for the URLs that an unsafe request changed, and their records as failed URLs.
  @inline(never)
  func forgetChangedURLs(sent: LoadRequest, answered head: ResponseHead?) async {
    // A task of its own: the server has changed the URLs even if the caller has cancelled, and caches do nothing in a
    // cancelled task.
    await Task(priority: .medium) {
      var urls = ChangedURLs.urls(of: sent, answered: head)
      // A modifier may have redirected the request, so the original URL may have changed as well.
      if !urls.isEmpty { urls.append(request.url) }
      for reader in manager.readers(of: urls, for: request) {
        manager.failedURLs.remove(reader.originalKey)
        do { try await manager.remove(reader, from: .all) } catch { report(error, of: reader.originalKey) }
      }
    }.value
  }
}

extension ImageManager {

  /// The requests that may have read these URLs, as far as they can be derived from the unsafe request.
  ///
  /// Some have the settings of the unsafe request, and others have none. Their header fields are all fields of the
  /// unsafe request, all except those about its body, only those that identify a user, or none.
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
        let reader = ResolvedRequest(asked, from: .url(url), as: nil, configuration: configuration, owner: identity)
        if reader.isCacheable { readers[reader.originalKey] = reader }
      }
    }
    for url in Set(urls.flatMap(spellings.all)) {
      for headers in [request.headers, ofNoBody, user, [:]] { add(url, request.context, headers, processed) }
      for headers in [user, [:]] { add(url, [], headers, configuration) }
    }
    return Array(readers.values)
  }
}

/// Finds the URLs whose stored responses an unsafe request makes invalid (RFC 9111 section 4.4).
enum ChangedURLs {
  /// The URLs to which the request went, with redirects, and the URLs on the same origin that each successful response
  /// names.
  ///
  /// A loader that reports no head has reported no failure either, so the request counts as successful.
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
      // After these redirects the next request only reads.
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
    let url = NormalForm.text(of: url.absoluteString).flatMap { URL(string: $0) } ?? url
    let scheme = url.scheme?.lowercased()
    let port = url.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
    return [scheme, url.host()?.lowercased(), port.map { "\($0)" }]
  }
}
