import EaselCore
import FoundationEssentials

extension CurlLoader {
  /// What a loader does and allows.
  public struct Configuration: Sendable {
    /// The header fields of every request; those of a request replace them by name.
    public var headers: HTTPHeaders = ["Accept": "image/*,*/*;q=0.8", "User-Agent": "Easel"]
    /// The names of further header fields that go along when a redirect leads to another scheme, host or port.
    ///
    /// Of all fields, those of the loader included, only `Accept`, `Accept-*`, `User-Agent`, `Referer`, `Range`, `If-*`,
    /// `Cache-Control` and `Pragma` do so by themselves, and those that describe a body go with it: any other may be a
    /// secret that was meant for the first server.
    public var headersForAnyone: [String] = []
    /// The most transfers at once.
    ///
    /// A transfer whose receiver is not ready, since a response modifier waits or there is no room for its body, gives
    /// its place to another one and goes on beside it later.
    public var maximumTransfers = 6
    /// The most transfers at once from one host.
    public var maximumTransfersPerHost = 6
    /// Which of the loads that wait goes first among those of the same priority.
    public var order = WorkOrder.firstInFirstOut
    /// How long it may take until a connection stands, encryption included.
    public var connectTimeout = Duration.seconds(10)
    /// How long a server may send nothing.
    public var idleTimeout = Duration.seconds(15)
    /// How long a transfer may take in all, nil for any time; redirects and the waits of its receiver count.
    public var totalTimeout: Duration? = .seconds(600)
    /// The least bytes a second at which an answer must come; nil for any rate.
    ///
    /// It is measured over each ``leastRatePeriod`` from the beginning of the answer on, without the time in which the
    /// receiver was not ready.
    public var leastRate: Int? = 1000
    /// The time over which ``leastRate`` is measured.
    public var leastRatePeriod = Duration.seconds(30)
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
    /// The identity that tells the bytes of this loader from those of others.
    ///
    /// Nil makes it up from headers, credentials, certificates, pins, proxy and the kind of address policy.
    public var cacheIdentity: String?

    /// Entries of `host:port:address`, as curl reads them, that are asked for with each transfer.
    package var resolve: (@Sendable () -> [String])?

    /// Creates the defaults.
    public init() {}

    /// The header fields that may go to a server that only another server named.
    func fieldsForAnyone(_ headers: HTTPHeaders, hasBody: Bool) -> HTTPHeaders {
      let further = Set(headersForAnyone.map { $0.lowercased() })
      return HTTPHeaders(
        headers.fields.filter { field in
          let name = field.name.lowercased()
          return Self.namesForAnyone.contains(name) || name.hasPrefix("accept-") || name.hasPrefix("if-")
            || (hasBody && name.hasPrefix("content-")) || further.contains(name)
        }.map { ($0.name, $0.value) })
    }

    private static let namesForAnyone: Set = ["accept", "user-agent", "referer", "range", "cache-control", "pragma"]

    /// Empty for defaults; else made of whatever can decide which bytes a server sends, or whose are believed.
    var derivedCacheIdentity: String {
      if let cacheIdentity { return cacheIdentity }
      let trust = trustIdentity
      let isStandard = headers == Configuration().headers && credentials.isEmpty
      guard !isStandard || clientCertificate != nil || !trust.isEmpty else { return "" }
      var parts = ["curl"]
      for field in headers.fields { parts += [field.name, field.value] }
      for (origin, credential) in credentials.sorted(by: { $0.key < $1.key }) { parts += [origin, "\(credential)"] }
      if let clientCertificate {
        parts += [clientCertificate.certificateFile]
        if let key = clientCertificate.keyFile { parts += ["key", key] }
      }
      parts += trust
      // Secrets are not to be read in a key.
      let framed = parts.map { "\($0.utf8.count):\($0)" }.joined()
      return "curl-" + hexadecimal(SHA256.hash(framed.utf8))
    }

    /// The trust that bytes came by, so that a loader that trusts less does not get them from the cache of one that trusts
    /// more.
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
