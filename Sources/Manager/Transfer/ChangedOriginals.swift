import EaselCore
import EaselHTTP
import FoundationEssentials

/// Removes cached responses that an unsafe request has made invalid.
struct ChangedOriginals: Sendable {
  let run: Run

  /// Removes everything that is cached for the URLs that the request changed, and forgets that these URLs failed.
  @inline(never)
  func forget(sent: LoadRequest, answered head: ResponseHead?) async {
    // This is a separate task: the server has changed the URLs even if the caller has cancelled, and caches do nothing
    // in a cancelled task.
    await Task(priority: .medium) {
      var urls = ChangedURLs.urls(of: sent, answered: head)
      // If a modifier redirected the request, the original URL may have changed as well.
      if !urls.isEmpty { urls.append(run.request.url) }
      for reader in readers(of: urls) {
        run.manager.failedURLs.remove(reader.originalKey)
        do {
          try await Removal(manager: run.manager).remove(reader, from: .all)
        } catch {
          run.report(error, of: reader.originalKey)
        }
      }
    }.value
  }

  /// The requests with which these URLs may have been read, if they can be derived from the unsafe request.
  ///
  /// Some have the settings of the unsafe request, others have none. Their header fields are all fields of the unsafe
  /// request, all except those about its body, only those that identify a user, or none.
  private func readers(of urls: [URL]) -> [ResolvedRequest] {
    let (request, configuration) = (run.request, run.manager.configuration)
    var processed = configuration
    processed.optionsProcessor = nil
    let names = configuration.identityHeaders
    let user = request.headers.filtered { field in names.contains { HTTPHeaders.isSame($0, field) } }
    let ofNoBody = request.headers.filtered { !HTTPHeaders.folded($0).hasPrefix("content-") }
    var readers: [CacheKey: ResolvedRequest] = [:]
    func add(
      _ url: URL, _ context: ImageContext, _ headers: HTTPHeaders, _ configuration: ImageManager.Configuration
    ) {
      var context = context
      context[.headers] = headers.isEmpty ? nil : headers
      for options in [request.options, []] {
        let asked = ImageRequest(url: url, options: options, context: context)
        let reader = ResolvedRequest(
          asked, from: .url(url), as: nil, configuration: configuration, owner: run.manager.identity)
        if reader.isCacheable { readers[reader.originalKey] = reader }
      }
    }
    for url in Set(urls.flatMap(run.manager.spellings.all)) {
      for headers in [request.headers, ofNoBody, user, [:]] { add(url, request.context, headers, processed) }
      for headers in [user, [:]] { add(url, [], headers, configuration) }
    }
    return Array(readers.values)
  }
}
