import EaselCore
import FoundationEssentials

extension CurlLoader {
  /// What a loader does and allows.
  public struct Configuration: Sendable {
    /// The header fields of every request; those of a request replace them by name.
    public var headers: HTTPHeaders = ["Accept": "image/*,*/*;q=0.8", "User-Agent": "Easel"]
    /// The names of header fields that are not sent on to another scheme, host or port.
    public var sensitiveHeaders = ["Authorization", "Cookie", "Proxy-Authorization"]
    /// The most transfers at once.
    public var maximumTransfers = 6
    /// The most transfers at once from one host.
    public var maximumTransfersPerHost = 6
    /// Which of the loads that wait goes first among those of the same priority.
    public var order = WorkOrder.firstInFirstOut
    /// How long it may take until a connection stands, encryption included.
    public var connectTimeout = Duration.seconds(10)
    /// How long a server may send nothing.
    public var idleTimeout = Duration.seconds(15)
    /// How long a transfer may take from its start to its end, redirects included; nil for any time.
    public var totalTimeout: Duration?
    /// The most redirects that one load follows.
    public var maximumRedirects = 10
    /// Whether a redirect is followed; nil follows all.
    public var mayFollow: (@Sendable (Redirect) async throws -> Bool)?
    /// Who the loader is for which server, by the server's scheme, host and port: `https://example.org`.
    public var credentials: [String: HTTPCredential] = [:]
    /// The certificate that is shown to servers that ask, but never after a redirect to another one.
    public var clientCertificate: ClientCertificate?
    /// The file of the authorities to trust, in PEM; nil for those of the system.
    public var certificateAuthorities: String?
    /// The public keys that servers must have: `sha256//` and the digest in base64, several with `;` between them.
    public var pinnedPublicKeys: String?
    /// Which proxy is used.
    public var proxy = ProxyChoice.environment
    /// Which addresses may be connected to.
    public var addressPolicy = AddressPolicy.allowAll
    /// The most bytes that a head may have.
    public var maximumHeadBytes = 128 << 10
    /// How often one load goes on where its transfer was cut.
    public var maximumResumptions = 3
    /// Where bodies that were cut are kept for the next load of the same; nil keeps none.
    public var resumeStore: ResumeStore? = ResumeStore()
    /// What tells the bytes of this loader from those of others; nil makes it up from headers and credentials.
    public var cacheIdentity: String?

    /// Entries of `host:port:address`, as curl reads them, that are asked for with each transfer.
    package var resolve: (@Sendable () -> [String])?

    /// Creates the defaults.
    public init() {}

    /// The names of header fields that mean nothing, or too much, to another scheme, host or port.
    var ownHeaders: [String] { sensitiveHeaders + ["Host"] }

    /// Empty for defaults; else made of whatever can decide which bytes a server sends.
    var derivedCacheIdentity: String {
      if let cacheIdentity { return cacheIdentity }
      let standard = Configuration()
      guard headers != standard.headers || !credentials.isEmpty || clientCertificate != nil else { return "" }
      var parts = ["curl"]
      for field in headers.fields { parts += [field.name, field.value] }
      for (origin, credential) in credentials.sorted(by: { $0.key < $1.key }) { parts += [origin, "\(credential)"] }
      if let clientCertificate { parts += [clientCertificate.certificateFile] }
      // Secrets are not to be read in a key.
      let framed = parts.map { "\($0.utf8.count):\($0)" }.joined()
      return "curl-"
        + SHA256.hash(Array(framed.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }
}
