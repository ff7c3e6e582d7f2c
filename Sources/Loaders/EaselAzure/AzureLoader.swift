import EaselCore
import EaselCurl
import FoundationEssentials

/// Loads URLs such as `azure://container/blob` from a storage account of Azure.
///
/// As over http, cut transfers are resumed, and stored pictures are revalidated by their tag.
///
/// ```swift
/// let account = AzureConfiguration(account: "pictures", credential: .anonymous)
/// configuration.loader = LoaderChain([AzureLoader(account), CurlLoader()])
/// ```
public final class AzureLoader: ImageLoader {
  private let configuration: AzureConfiguration
  private let loader: CurlLoader

  /// Creates a loader of `azure:` URLs.
  public convenience init(_ configuration: AzureConfiguration) { self.init(configuration, now: { Date() }) }

  init(_ configuration: AzureConfiguration, now: @escaping @Sendable () -> Date) {
    self.configuration = configuration
    loader = CurlLoader(Self.curl(configuration, now))
  }

  /// Names the server and the account.
  public var cacheIdentity: CacheIdentity { .named(configuration.identity) }

  /// True for URLs of the scheme `azure`.
  public func canLoad(_ url: URL) -> Bool { url.scheme?.lowercased() == "azure" }

  /// Loads a blob, and passes it to the sink.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let subject = request.url.absoluteString
    guard let location = AzureLocation(request.url) else {
      throw ImageError(.invalidURL, "A blob of Azure is written azure://container/blob.", subject: subject)
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      throw ImageError(.invalidRequest, "Blobs of Azure are only read here, by GET or HEAD.", subject: subject)
    }
    guard let base = configuration.base, let url = URL(string: base + location.path) else {
      throw ImageError(
        .invalidURL, "The account of Azure must be a name, and its endpoint an http or https URL.", subject: subject)
    }
    var outgoing = request
    outgoing.url = url
    return try await loader.load(outgoing, into: sink)
  }

  private static func curl(
    _ configuration: AzureConfiguration, _ now: @escaping @Sendable () -> Date
  ) -> CurlLoader.Configuration {
    var curl = CurlLoader.Configuration()
    curl.headers = ["User-Agent": "Easel", "Accept-Encoding": "identity", "x-ms-version": AzureSigner.version]
    curl.maximumTransfers = configuration.maximumTransfers
    curl.maximumTransfersPerHost = configuration.maximumTransfers
    curl.certificateAuthorities = configuration.certificateAuthorities
    curl.addressPolicy = configuration.addressPolicy
    curl.keepsDotSegments = true
    // A signature is valid for one address, and a token must not go to another.
    curl.maximumRedirects = 0
    switch configuration.credential.kind {
    case .anonymous: break
    case .key(let key):
      let signer = AzureSigner(account: configuration.account, key: key)
      curl.signature = { signer.fields(for: $0, url: $1, $2, at: now()) }
    case .token(let query): curl.secretQuery = query
    }
    return curl
  }
}
