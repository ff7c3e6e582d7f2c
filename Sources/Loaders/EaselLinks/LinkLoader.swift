import EaselCore
import FoundationEssentials

/// Loads the picture by which a page of the web is shown in links to it.
///
/// The URL is that of the page with `link:` before it, such as `link:https://example.org/article`.
///
/// ```swift
/// let curl = CurlLoader()
/// configuration.loader = LoaderChain([LinkLoader(curl), curl])
/// ```
///
/// The page and the picture are loaded by the loader given, so that its limits, its address policy and its credentials hold for
/// both. Fields that a request has for the page go to the picture only on the same origin.
public struct LinkLoader: ImageLoader {
  private let base: any ImageLoader
  private let sources: [Source]
  private let pageLimit: Int

  /// The most pictures that are tried for one page.
  private static let mostTries = 4
  /// The most bytes of a manifest.
  private static let manifestLimit = 256 << 10

  /// Loads pages and pictures through another loader.
  ///
  /// The places of `sources` are looked at in their order. At most `pageLimit` bytes of a page are read; what a page says of
  /// itself stands at its beginning.
  public init(_ base: any ImageLoader, sources: [Source] = Source.allCases, pageLimit: Int = 1 << 20) {
    (self.base, self.sources, self.pageLimit) = (base, sources, max(1, pageLimit))
  }

  /// Names the places and the loader, because they decide which picture comes.
  public var cacheIdentity: CacheIdentity {
    let own = "link \(sources.map(\.rawValue).joined(separator: ","))"
    return switch base.cacheIdentity {
    case .plain: .named(own)
    case .named(let name): .named("\(own) \(name)")
    case .instance: .instance
    }
  }

  /// True for `link:` and the URL of a page that the other loader can load.
  public func canLoad(_ url: URL) -> Bool { Self.page(of: url).map(base.canLoad) ?? false }

  /// Loads the page, and then the first of its pictures that can be had.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    guard let page = Self.page(of: request.url), base.canLoad(page) else {
      throw ImageError(
        .invalidURL, "A picture of a page is written link:https://host/path.", subject: request.url.absoluteString)
    }
    guard request.method == "GET" else {
      throw ImageError(.invalidRequest, "Pages are only read here, by GET.", subject: request.url.absoluteString)
    }
    let (bytes, address) = try await read(page, for: request, atMost: pageLimit, kind: "page")
    let head = PageHead(bytes)
    let start = head.base.flatMap { URL(string: $0, relativeTo: address)?.absoluteURL } ?? address
    var lastError: (any Error)?
    var tries = 0
    for source in sources {
      for candidate in try await candidates(source, head, start, request) where tries < Self.mostTries {
        tries += 1
        let watched = WatchedSink(sink)
        do {
          return try await base.load(Self.request(request, for: candidate, of: page), into: watched)
        } catch  where !watched.hasBegun && !Task.isCancelled {
          lastError = error
        }
      }
    }
    throw ImageError(
      .unsupportedFormat,
      tries == 0 ? "The page names no picture of itself." : "None of the pictures that the page names could be loaded.",
      subject: page.absoluteString, cause: lastError)
  }

  // MARK: The page

  /// The URL behind `link:`.
  private static func page(of url: URL) -> URL? {
    guard url.scheme?.lowercased() == "link",
      let page = URL(string: String(url.absoluteString.dropFirst("link:".count))), isOfTheWeb(page)
    else { return nil }
    return page
  }

  private static func isOfTheWeb(_ url: URL) -> Bool {
    ["http", "https"].contains(url.scheme?.lowercased()) && url.host()?.isEmpty == false
  }

  private func read(
    _ url: URL, for request: LoadRequest, atMost limit: Int, kind: String
  ) async throws -> (bytes: [UInt8], address: URL) {
    var own = request
    own.url = url
    own.byteLimit = .max
    own.validatedURL = nil
    for name in Self.conditions { own.headers[name] = nil }
    own.headers["Accept"] = kind == "page" ? "text/html, application/xhtml+xml" : "application/manifest+json"
    let sink = PageSink(limit: limit, name: "\(kind) \(url.absoluteString)")
    do {
      if case .bytes(let bytes, let head) = try await base.load(own, into: sink) {
        let prefix = try bytes.prefix(limit)
        return (prefix, head.url ?? url)
      }
    } catch  where sink.isFull {
      // It has all that it wanted.
    }
    return (sink.bytes, sink.address ?? url)
  }

  private static let conditions = ["If-None-Match", "If-Modified-Since", "If-Range", "Range"]

  // MARK: The picture

  private func candidates(
    _ source: Source, _ head: PageHead, _ address: URL, _ request: LoadRequest
  ) async throws -> [URL] {
    var names = head.names(of: source)
    var address = address
    if source == .manifest, let name = head.manifest, let url = URL(string: name, relativeTo: address)?.absoluteURL,
      Self.isOfTheWeb(url), base.canLoad(url)
    {
      // A page without its manifest is still a page.
      let own = Self.request(request, for: url, of: address)
      let manifest = try? await read(url, for: own, atMost: Self.manifestLimit, kind: "manifest")
      try Task.checkCancellation()
      names = manifest.map { WebManifest.icons(in: $0.bytes) } ?? []
      address = manifest?.address ?? url
    }
    return names.compactMap { URL(string: $0, relativeTo: address)?.absoluteURL }.filter {
      Self.isOfTheWeb($0) && base.canLoad($0)
    }
  }

  /// The request for a picture that a page names, without what was meant for the page's own origin.
  private static func request(_ request: LoadRequest, for url: URL, of page: URL) -> LoadRequest {
    var own = request
    own.url = url
    if !(url.scheme?.lowercased() == page.scheme?.lowercased() && url.host() == page.host() && url.port == page.port) {
      own.headers = HTTPHeaders(
        request.headers.fields.filter { ["accept", "user-agent", "accept-language"].contains($0.name.lowercased()) }
          .map { ($0.name, $0.value) })
      own.handlesCookies = false
    }
    // A stored picture is compared with the server's only if it came from there.
    if request.validatedURL == url {
      for name in conditions { own.headers[name] = request.headers[name] }
    } else {
      own.validatedURL = nil
      for name in conditions { own.headers[name] = nil }
    }
    return own
  }
}

extension LinkLoader {
  /// A place where a page names its picture.
  public enum Source: String, CaseIterable, Sendable {
    /// The picture of Open Graph: `og:image`, in a `meta`.
    case openGraph
    /// The picture of a card: `twitter:image`.
    case card
    /// The icon: `apple-touch-icon` and `icon` in a `link`, the largest first, then `/favicon.ico`.
    case icon
    /// The icons of the manifest, the largest first.
    case manifest
  }
}
