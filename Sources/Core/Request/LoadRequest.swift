import FoundationEssentials

/// What a loader is asked for.
public struct LoadRequest: Sendable {
  /// Where the bytes are.
  public var url: URL
  /// The HTTP method.
  public var method: String
  /// The header fields, conditional ones of a revalidation included.
  public var headers: HTTPHeaders
  /// The URL whose answer the conditional fields of a revalidation are about, where redirects led to it; else nil.
  ///
  /// Nothing that another URL answers may be taken for "not modified".
  public var validatedURL: URL?
  /// The body to send.
  public var body: Data?
  /// Whether the loader's cookies take part.
  public var handlesCookies: Bool
  /// Whether this transfer may go on with a certificate that nobody vouches for.
  public var allowsInvalidCertificates: Bool
  /// The most bytes that are wanted.
  public var byteLimit: Int
  /// Which picture it is, for what a loader remembers of it.
  public let key: CacheKey
  /// How urgent it is, followed while the load runs.
  public let priority: LivePriority
  /// Everything else that the caller said.
  public let context: ImageContext

  /// Creates a request.
  public init(
    url: URL, method: String = "GET", headers: HTTPHeaders = [:], body: Data? = nil, handlesCookies: Bool = false,
    allowsInvalidCertificates: Bool = false, byteLimit: Int = Limits().downloadBytes, key: CacheKey? = nil,
    priority: LivePriority = LivePriority(), context: ImageContext = ImageContext()
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
    self.handlesCookies = handlesCookies
    self.allowsInvalidCertificates = allowsInvalidCertificates
    self.byteLimit = byteLimit
    self.key = key ?? CacheKey(original: url.absoluteString)
    self.priority = priority
    self.context = context
  }
}
