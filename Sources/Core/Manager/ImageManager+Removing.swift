import FoundationEssentials

/// Removing what is cached, so that it stays removed.
extension ImageManager {
  /// Removes everything from the manager's caches.
  ///
  /// Work that is under way brings nothing back: loads, refreshes and stores that began before this returns
  /// deliver their pictures, but leave nothing in these layers. Calling `clear` of a cache itself has no such effect.
  ///
  /// It throws `cacheFailed` when a cache fails; the others have done their part then.
  public func clearCache(_ layers: CacheLayers = .all) async throws(ImageError) {
    var caches = [configuration.cache]
    if let originals = configuration.originalCache { caches.append(originals) }
    try await remove(nil, in: layers, of: caches, subject: nil) { cache, layers in try await cache.clear(layers) }
  }

  /// Removes the picture that a request asks for: its original, and everything that was made of that.
  ///
  /// Work that is under way does not bring it back: loads, refreshes and stores of the picture that began before this
  /// returns deliver, but leave nothing in these layers. Calling `remove` of a cache itself has no such effect, and
  /// removes what lies under that one key.
  ///
  /// It throws `invalidURL` for a request without a URL, and `cacheFailed` when a cache fails.
  public func removeCachedImage(
    for request: ImageRequest, from layers: CacheLayers = .all
  ) async throws(ImageError) {
    try await remove(try resolved(request), from: layers)
  }

  /// The same for a request of which is known what it means.
  func remove(_ resolved: ResolvedRequest, from layers: CacheLayers) async throws(ImageError) {
    guard resolved.isCacheable else { return }
    let key = resolved.originalKey
    try await remove(key, in: layers, of: resolved.caches, subject: key.readable) { cache, layers in
      // A generation that nothing has, so that whatever was made of the original is of another one.
      try await cache.renew(nil, ofOriginal: key, generation: .random(in: 1 ... .max), in: layers)
      try await cache.remove(key, from: layers)
      if resolved.isVariant { try await cache.remove(resolved.variantKey, from: layers) }
    }
  }

  /// Removes the picture at a URL: its original, and everything that was made of that.
  public func removeCachedImage(for url: URL?, from layers: CacheLayers = .all) async throws(ImageError) {
    try await removeCachedImage(for: ImageRequest(url: url), from: layers)
  }

  private func resolved(_ request: ImageRequest) throws(ImageError) -> ResolvedRequest {
    guard let resolved = request.resolved(with: configuration, by: identity) else {
      throw ImageError(.invalidURL, "There is no URL whose picture to remove: it is empty or cannot be read.")
    }
    return resolved
  }

  private func remove(
    _ original: CacheKey?, in layers: CacheLayers, of caches: [any ImageCache], subject: String?,
    _ body: @escaping @Sendable (any ImageCache, CacheLayers) async throws -> Void
  ) async throws(ImageError) {
    var failures: [any Error] = []
    await storeLanes.remove(original, in: layers) { layers in
      for cache in caches {
        do {
          // While something is removed, nothing is stored: a cache that hangs must not keep it so for ever.
          try await call(cache, about: original, within: Self.removeTime) { try await body(cache, layers) }
        } catch {
          failures.append(error)
        }
      }
    }
    // A load that begins now must not be answered by what was looked up or loaded before.
    forgetRuns(of: original)
    guard let first = failures.first else { return }
    throw .wrapping(first, as: .cacheFailed, "A cache could not remove what it was to remove.", subject: subject)
  }

  /// Lets nobody join what is under way; those who wait for it already are answered.
  private func forgetRuns(of original: CacheKey?) {
    func isMeant(_ key: CacheKey) -> Bool { original.map(key.hasSameOriginal) ?? true }
    lookupRuns.forgetAll { isMeant($0.key) }
    transferRuns.forgetAll { isMeant($0.original) }
    pictureRuns.forgetAll { isMeant($0.variant) }
  }
}

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

/// The URLs whose stored responses an unsafe request makes invalid: RFC 9111 section 4.4.
enum ChangedPlaces {
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
