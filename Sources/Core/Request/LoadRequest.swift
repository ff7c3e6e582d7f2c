import FoundationEssentials

/// A request to a loader.
///
/// ```swift
/// configuration.requestModifier = .closure(cacheIdentity: .named("version 2")) { request in
///   var request = request
///   request.headers["X-Version"] = "2"
///   return request
/// }
/// ```
public struct LoadRequest: Sendable {
  /// The URL to load.
  public var url: URL
  /// The HTTP method.
  public var method: String
  /// The header fields, including the conditions of a revalidation.
  public var headers: HTTPHeaders
  /// The URL whose cached response the conditional fields describe, if it came after redirects; otherwise nil.
  ///
  /// A response from any other URL must not count as "not modified".
  public var validatedURL: URL?
  /// The body to send.
  public var body: Data?
  /// True when the loader's cookie jar is used.
  public var handlesCookies: Bool
  /// True when this transfer may continue with an invalid certificate.
  public var allowsInvalidCertificates: Bool
  /// The maximum number of bytes of the body.
  public var byteLimit: Int
  /// The key of the original, under which a loader can keep its own notes.
  public let key: CacheKey
  /// The priority, which can change while the load runs.
  public let priority: LoadPriority.Live
  /// The context of the load.
  public let context: ImageContext
  /// The number of the shared work that sends the request, as observers hear it in ``ImageEvent/run``.
  ///
  /// It is nil for a request that no manager made.
  public var run: UInt64?

  /// Describes what a loader should send.
  public init(
    url: URL, method: String = "GET", headers: HTTPHeaders = [:], body: Data? = nil, handlesCookies: Bool = false,
    allowsInvalidCertificates: Bool = false, byteLimit: Int = Limits().downloadBytes, key: CacheKey? = nil,
    priority: LoadPriority.Live = LoadPriority.Live(), context: ImageContext = ImageContext()
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
