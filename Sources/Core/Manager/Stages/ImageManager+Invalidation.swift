import FoundationEssentials

/// Requests that change something on the server make void what is stored of it.
extension ImageManager {
  /// Forgets what is stored of the places that an unsafe request changed, in memory and on disk, and that they failed.
  func forgetWhatChanged(
    by sent: LoadRequest, answered head: ResponseHead?, _ request: ResolvedRequest, in run: SharedRun
  ) async {
    // The server has changed them also where the caller has given up meanwhile, and caches do nothing in a task that is
    // cancelled.
    await Task.detached { await self.forget(whatWasChangedBy: sent, answered: head, request, in: run) }.value
  }

  private func forget(
    whatWasChangedBy sent: LoadRequest, answered head: ResponseHead?, _ request: ResolvedRequest, in run: SharedRun
  ) async {
    var urls = ChangedPlaces.urls(of: sent, answered: head)
    // A modifier may have sent it elsewhere; what it changed is known by the name that it was asked for under, too.
    if !urls.isEmpty { urls.append(request.url) }
    for reader in readers(of: urls, for: request) {
      failedURLs.remove(reader.originalKey)
      do { try await remove(reader, from: .all) } catch { report(error, of: reader.originalKey, in: run) }
    }
  }

  /// The requests that read these places, as far as they can be told from the one that changed them: with its settings
  /// and without, with all of its header fields, without those of its body, with those that name a user, and with none.
  private func readers(of urls: [URL], for request: ResolvedRequest) -> [ResolvedRequest] {
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
