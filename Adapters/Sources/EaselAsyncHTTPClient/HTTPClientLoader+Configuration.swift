import EaselCore
import FoundationEssentials

extension HTTPClientLoader {
  /// The settings of a loader; all others are those of its client.
  ///
  /// ```swift
  /// var settings = HTTPClientLoader.Configuration()
  /// settings.mayFollow = { _, target in target.host() == "pictures.example.com" }
  /// ```
  public struct Configuration: Sendable {
    /// The header fields of every request; fields of the request replace fields of the same name.
    public var headers: HTTPHeaders = ["Accept": "image/*,*/*;q=0.8", "User-Agent": "Easel"]
    /// The names of more header fields that are kept when a redirect leads to another scheme, host or port.
    ///
    /// These fields are kept by default: `Accept`, `Accept-*`, `User-Agent`, `Referer`, `Range`, `If-*`,
    /// `Cache-Control` and `Pragma`, and if a body is sent, the fields that describe the body. All other fields are
    /// dropped, because they may be secrets for the first server.
    public var headersForAnyone: [String] = []
    /// The most redirects that a load follows.
    public var maximumRedirects = 10
    /// Decides whether to follow a redirect from one URL to another; without it, all redirects are followed.
    public var mayFollow: (@Sendable (_ source: URL, _ target: URL) async throws -> Bool)?
    /// The longest time for which a server may send nothing, the time to connect included.
    public var idleTimeout = Duration.seconds(15)
    /// The longest time for a whole transfer, including redirects and waits for its receiver; nil for no limit.
    public var totalTimeout: Duration? = .seconds(600)
    /// Separates the bytes of this loader from those of other loaders in cache keys.
    ///
    /// Give it a name if fields, certificates or a proxy make servers send other bytes than anyone gets.
    public var cacheIdentity = CacheIdentity.plain

    /// Begins with the default settings, which can be changed one by one.
    public init() {}
  }
}
