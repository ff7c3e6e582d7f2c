import EaselCore
import EaselHTTP
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
