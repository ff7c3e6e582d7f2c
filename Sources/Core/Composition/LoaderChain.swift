import FoundationEssentials

/// Several loaders that act as one.
///
/// The loader added last that accepts a URL loads it.
///
/// ```swift
/// configuration.loader = LoaderChain([CurlLoader(), FileLoader()])
/// ```
public struct LoaderChain: ImageLoader {
  /// The loaders in the order in which they were added.
  public let loaders: [any ImageLoader]

  /// Collects loaders; the last one that accepts a URL loads it.
  public init(_ loaders: [any ImageLoader] = []) { self.loaders = loaders }

  /// The loader for a URL; nil when none accepts it.
  public func loader(for url: URL) -> (any ImageLoader)? { loaders.last { $0.canLoad(url) } }

  /// A chain has no identity of its own, because the loader of each URL adds its own.
  public var cacheIdentity: CacheIdentity { .plain }

  /// True when one of the loaders accepts the URL.
  public func canLoad(_ url: URL) -> Bool { loader(for: url) != nil }

  /// The origin of the picture, as the loader of the URL names it.
  public func origin(of url: URL) -> ImageOrigin {
    loader(for: url)?.origin(of: url) ?? ImageOrigin(key: url.absoluteString)
  }

  /// Asks the loader of the URL whether to block it.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? {
    loader(for: url)?.shouldBlock(url, after: error)
  }

  /// Loads with the loader of the URL; throws `unsupportedURL` when none accepts it.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    guard let loader = loader(for: request.url) else {
      let scheme = request.url.scheme.map { "of the scheme '\($0)'" } ?? "without a scheme"
      throw ImageError(
        .unsupportedURL, "No loader of the chain supports URLs \(scheme).", subject: request.url.absoluteString)
    }
    return try await loader.load(request, into: sink)
  }
}

extension ImageLoader {
  /// Returns a chain of this loader, or of its loaders, and of `loader`, which is asked first.
  ///
  /// ```swift
  /// configuration.loader = configuration.loader.adding(FileLoader())
  /// ```
  public func adding(_ loader: any ImageLoader) -> LoaderChain {
    LoaderChain(((self as? LoaderChain)?.loaders ?? [self]) + [loader])
  }
}
