import EaselCore
import EaselSupport
import EaselWorkers
import FoundationEssentials

extension CurlLoader {
  /// The settings of a loader.
  ///
  /// ```swift
  /// var network = CurlLoader.Configuration()
  /// network.addressPolicy = .denyPrivate
  /// network.totalTimeout = .seconds(20)
  /// let manager = ImageManager(.standard(network: network))
  /// ```
  public struct Configuration: Sendable {
    /// The header fields of every request; fields of the request replace fields of the same name.
    public var headers: HTTPHeaders = ["Accept": "image/*,*/*;q=0.8", "User-Agent": "Easel"]
    /// The names of more header fields that are kept when a redirect leads to another scheme, host or port.
    ///
    /// These fields are kept by default: `Accept`, `Accept-*`, `User-Agent`, `Referer`, `Range`, `If-*`,
    /// `Cache-Control` and `Pragma`, and if a body is sent, the fields that describe the body. All other fields are
    /// dropped, including those of the loader, because they may be secrets for the first server.
    public var headersForAnyone: [String] = []
    /// The most transfers that run at once.
    ///
    /// A transfer that waits for a response modifier, or for room for its body, does not count. When it continues, more
    /// transfers than this may run.
    public var maximumTransfers = 6
    /// The most transfers that run at once from one host and port.
    public var maximumTransfersPerHost = 6
    /// The order of waiting loads with the same priority.
    public var order = LoadPriority.Order.firstInFirstOut
    /// The longest time to establish a connection, including TLS.
    public var connectTimeout = Duration.seconds(10)
    /// The longest time for which a server may send nothing.
    public var idleTimeout = Duration.seconds(15)
    /// The longest time for a whole transfer, including redirects and waits for its receiver; nil for no limit.
    public var totalTimeout: Duration? = .seconds(600)
    /// The fewest bytes per second that a response must deliver; nil for no limit.
    ///
    /// The rate is measured in periods of ``leastRatePeriod`` from the beginning of the response. The time in which the
    /// receiver was not ready does not count.
    public var leastRate: Int? = 1000
    /// The length of the periods in which ``leastRate`` is measured.
    public var leastRatePeriod = Duration.seconds(30)
    /// The most redirects that a load follows.
    public var maximumRedirects = 10
    /// Decides whether to follow a redirect; without it, all redirects are followed.
    public var mayFollow: (@Sendable (Redirect) async throws -> Bool)?
    /// The credentials by scheme, host and port of the server, such as `https://example.org`.
    public var credentials: [String: CurlLoader.Credential] = [:]
    /// The certificate for servers that ask for one.
    ///
    /// It is not sent after a redirect to another server.
    public var clientCertificate: CurlLoader.ClientCertificate?
    /// The PEM file of the certificate authorities to trust; nil for the authorities of the system.
    public var certificateAuthorities: String?
    /// The public keys that servers must have, as `sha256//` and a base64 digest; several keys are separated by `;`.
    public var pinnedPublicKeys: String?
    /// The proxy to connect through.
    public var proxy = ProxyChoice.environment
    /// The addresses that may be connected to.
    public var addressPolicy = AddressPolicy.allowAll
    /// The most bytes in the head of a response.
    ///
    /// The manager accepts at most 1 MiB of header fields, including the fields of redirects.
    public var maximumHeadBytes = 128 << 10
    /// The most times that one load may resume a cut transfer.
    public var maximumResumptions = 3
    /// The store that keeps cut bodies for the next load of the same picture; nil for none.
    public var resumeStore: CurlLoader.ResumeStore? = CurlLoader.ResumeStore()
    /// Separates the bytes of this loader from those of other loaders in cache keys.
    ///
    /// With nil, it is derived from header fields, credentials, certificates, pins, proxy and the kind of address
    /// policy.
    public var cacheIdentity: CacheIdentity?

    /// Returns entries in curl's form `host:port:address`; called for each transfer.
    package var resolve: (@Sendable () -> [String])?

    /// Fields that depend on all others of a request, such as a signature.
    ///
    /// They are made anew for each request of a load, so that they are right for the rest of a body too. It runs on
    /// curl's thread.
    package var signature: (@Sendable (_ method: String, _ url: String, _ fields: HTTPHeaders) -> HTTPHeaders)?

    /// The query of each request, which is a secret, and therefore no part of the URL that anybody hears of.
    package var secretQuery = ""

    /// True when `.` and `..` in paths are sent unchanged, because they are part of a name.
    package var keepsDotSegments = false

    /// True when hosts share ``maximumTransfers`` evenly, so that a new host finds as much room as each other host has.
    package var sharesTransfersEvenly = false

    /// True when requests that change something may be sent twice, and may therefore use kept connections too.
    ///
    /// A server may close such a connection just then, and nobody knows whether the request reached it.
    package var repeatsChanges = false

    /// True when no request differs from others only in its URL.
    var needsDetails: Bool { signature != nil || !secretQuery.isEmpty || keepsDotSegments }

    /// True when a request may be sent again over another connection.
    func mayRepeat(_ step: TransferStep) -> Bool { repeatsChanges || step.isRepeatable }

    /// Begins with the default settings, which can be changed one by one.
    public init() {}

    /// The identity in cache keys; plain for default settings.
    ///
    /// Otherwise it is derived from all settings that decide what servers send or which servers are trusted.
    var derivedCacheIdentity: CacheIdentity {
      if let cacheIdentity { return cacheIdentity }
      let trust = trustIdentity
      let isStandard = headers == Configuration().headers && credentials.isEmpty
      guard !isStandard || clientCertificate != nil || !trust.isEmpty else { return .plain }
      var parts = ["curl"]
      for field in headers.fields { parts += [field.name, field.value] }
      for (origin, credential) in credentials.sorted(by: { $0.key < $1.key }) { parts += [origin, "\(credential)"] }
      if let clientCertificate {
        parts += [clientCertificate.certificateFile]
        if let key = clientCertificate.keyFile { parts += ["key", key] }
      }
      parts += trust
      // The parts are hashed, so that nobody can read a secret in a key.
      let framed = parts.map { "\($0.utf8.count):\($0)" }.joined()
      return .named("curl-" + hexadecimal(SHA256.hash(framed.utf8)))
    }

    /// Names the trusted servers.
    ///
    /// A loader that trusts fewer servers must not use the cached bytes of one that trusts more.
    private var trustIdentity: [String] {
      var parts: [String] = []
      if case .url(let url) = proxy { parts += ["proxy", url] }
      if let certificateAuthorities { parts += ["authorities", certificateAuthorities] }
      if let pinnedPublicKeys { parts += ["pins", pinnedPublicKeys] }
      if let name = addressPolicy.name { parts += ["addresses", name] }
      return parts
    }
  }
}

extension CurlLoader {
  /// A redirect that a server sends.
  public struct Redirect: Hashable, Sendable {
    /// The URL that redirects.
    public let source: URL
    /// The URL that the redirect leads to.
    public let target: URL
    /// The status of the redirecting response.
    public let status: Int
    /// The number of redirects of this load so far, including this one.
    public let count: Int
    /// True when this or an earlier redirect led to another scheme, host or port.
    ///
    /// The other place gets no credentials and no cookies.
    public let isForeign: Bool
  }
}

extension CurlLoader {
  /// The credential that a loader sends to a server.
  public enum Credential: Hashable, Sendable {
    /// User name and password, which are sent with the first request.
    ///
    /// Without TLS, everyone on the way can read them.
    case basic(user: String, password: String)
    /// User name and a digest of the password, which are sent when the server asks.
    case digest(user: String, password: String)
    /// A bearer token, which is sent with the first request.
    case bearer(String)
  }
}

extension CurlLoader {
  /// A certificate that identifies the loader to servers.
  public struct ClientCertificate: Hashable, Sendable {
    /// The path of the certificate file, in PEM.
    public var certificateFile: String
    /// The path of the file with the private key, in PEM; nil when the certificate file contains the key.
    public var keyFile: String?
    /// The password of the private key.
    public var keyPassword: String?

    /// Takes the paths of a certificate and of its key, both in PEM.
    public init(certificateFile: String, keyFile: String? = nil, keyPassword: String? = nil) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
      self.keyPassword = keyPassword
    }
  }
}

extension CurlLoader {
  /// The choice of the proxy that a loader connects through.
  public enum ProxyChoice: Hashable, Sendable {
    /// The proxy in `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`; none when an ``AddressPolicy`` is set.
    case environment
    /// No proxy, even if the environment names one.
    case direct
    /// The proxy at this URL, which may contain a user name and a password.
    case url(String)

    var hasCredential: Bool {
      if case .url(let url) = self { url.contains("@") } else { false }
    }
  }
}
