import FoundationEssentials

/// Many loaders behind one: the last added that takes a URL loads it.
public struct LoaderChain: ImageLoader {
  /// The loaders, the last added last.
  public let loaders: [any ImageLoader]

  /// Creates a chain.
  public init(_ loaders: [any ImageLoader] = []) { self.loaders = loaders }

  /// The same chain with one more loader, which is asked first.
  public func adding(_ loader: any ImageLoader) -> LoaderChain { LoaderChain(loaders + [loader]) }

  /// The loader that takes a URL.
  public func loader(for url: URL) -> (any ImageLoader)? { loaders.last { $0.canLoad(url) } }

  /// Empty: each URL's loader speaks for itself.
  public var cacheIdentity: String? { "" }

  /// Whether one of its loaders takes the URL.
  public func canLoad(_ url: URL) -> Bool { loader(for: url) != nil }

  /// As the loader that takes the URL says.
  public func origin(of url: URL) -> ImageOrigin {
    loader(for: url)?.origin(of: url) ?? ImageOrigin(key: url.absoluteString)
  }

  /// As the loader that takes the URL says.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? {
    loader(for: url)?.shouldBlock(url, after: error)
  }

  /// Loads with the loader that takes the URL; `unsupportedURL` when none does.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    guard let loader = loader(for: request.url) else {
      let scheme = request.url.scheme.map { "of the scheme '\($0)'" } ?? "without a scheme"
      throw ImageError(.unsupportedURL, "No loader takes URLs \(scheme).", subject: request.url.absoluteString)
    }
    return try await loader.load(request, into: sink)
  }
}
