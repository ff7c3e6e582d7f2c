import EaselCore
import EaselCurl
import EaselSupport
import FoundationEssentials

/// Sends signed requests to S3, and finds the region of a bucket.
final class S3Client: Sendable {
  /// A request without the region and the host, which are found later.
  struct Request {
    var location: S3Location
    var method = "GET"
    var headers = HTTPHeaders()
    var body: Data?
  }

  /// A complete response.
  struct Response {
    let head: ResponseHead
    let body: [UInt8]

    var status: Int { head.status ?? 0 }
  }

  let configuration: S3Configuration
  private let loader: CurlLoader
  private let keeper: CredentialKeeper
  private let now: @Sendable () -> Date
  /// The regions of buckets that are not in the configured region.
  private let regions = Locked<[String: String]>([:])

  private static let mostRegions = 1000

  init(
    _ configuration: S3Configuration, resumeStore: CurlLoader.ResumeStore?,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.configuration = configuration
    self.now = now
    let loader = CurlLoader(Self.curl(configuration, resumeStore: resumeStore))
    self.loader = loader
    keeper = CredentialKeeper(configuration.credentials, environment: configuration.environment, now: now) { endpoint in
      try await Self.fetch(endpoint)
    }
  }

  /// Sends a request, and collects the response, which may have at most `limit` bytes.
  func send(_ request: Request, limit: Int) async throws -> Response {
    let sink = CollectingSink(limit: limit)
    _ = try await load(request, limit: limit, key: nil, context: ImageContext(), priority: LoadPriority.Live()) { sink }
    return try sink.answer()
  }

  /// Sends a request, and passes the response to a sink; `makeSink` is called again if the bucket is in another region.
  func load(
    _ request: Request, limit: Int, key: CacheKey?, context: ImageContext, priority: LoadPriority.Live,
    to makeSink: () -> any LoadSink
  ) async throws -> LoadResult {
    var place = S3Endpoint(region: region(of: request.location.bucket))
    var attempts = 0
    while true {
      attempts += 1
      let target = try S3ObjectURL(request.location, configuration, region: place.region, host: place.host)
      let outgoing = try await signed(request, for: target, region: place.region)
      let attempt = LoadRequest(
        url: outgoing.url, method: outgoing.method, headers: outgoing.headers, body: outgoing.body, byteLimit: limit,
        key: key, priority: priority, context: context)
      do {
        return try await loader.load(attempt, into: RegionSink(makeSink(), region: place.region))
      } catch {
        guard attempts <= 2, let found = movement(in: error, from: place, of: request.location) else { throw error }
        place = found
        if place.host == nil { remember(place.region, of: request.location.bucket) }
      }
    }
  }

  // MARK: Signing

  private func signed(_ request: Request, for target: S3ObjectURL, region: String) async throws -> LoadRequest {
    guard let url = target.url else {
      throw ImageError(.invalidURL, "The object's name cannot be written as a URL.", subject: target.path)
    }
    var headers = request.headers
    if let credentials = try await keeper.credentials() {
      let signer = S3Signer(credentials: credentials, region: region, date: now())
      // Without TLS, only this hash protects the body.
      let hash =
        target.isEncrypted && request.body != nil
        ? S3Signer.unsignedPayload : hexadecimal(SHA256.hash(request.body ?? Data()))
      var toSign = HTTPHeaders([
        ("Host", target.host), ("X-Amz-Date", signer.timestamp), ("X-Amz-Content-SHA256", hash),
      ])
      if let token = credentials.sessionToken { toSign["X-Amz-Security-Token"] = token }
      for field in request.headers.fields where field.name.lowercased().hasPrefix("x-amz-") {
        toSign[field.name] = field.value
      }
      headers.merge(toSign)
      headers["Host"] = nil
      headers["Authorization"] = signer.authorization(
        method: request.method, path: target.path, query: "", headers: toSign, payloadHash: hash)
    }
    return LoadRequest(url: url, method: request.method, headers: headers, body: request.body)
  }

  // MARK: Regions

  private func region(of bucket: String) -> String { regions.withLock { $0[bucket] } ?? configuration.region }

  private func remember(_ region: String, of bucket: String) {
    regions.withLock { regions in
      if regions.count >= Self.mostRegions { regions.removeAll() }
      regions[bucket] = region
    }
  }

  /// The place that an error names in place of the one that was tried; nil if it names none.
  private func movement(in error: any Error, from place: S3Endpoint, of location: S3Location) -> S3Endpoint? {
    let causes = [error] + ((error as? ImageError)?.causes ?? [])
    for cause in causes {
      if let other = cause as? RegionRedirect, other.region != place.region { return S3Endpoint(region: other.region) }
      if let other = cause as? HostRedirect, configuration.endpoint == nil, other.isAmazons, other.host != place.host {
        return S3Endpoint(region: place.region, host: other.host)
      }
    }
    return nil
  }

  // MARK: curl

  private static func curl(_ configuration: S3Configuration, resumeStore: CurlLoader.ResumeStore?)
    -> CurlLoader.Configuration
  {
    var curl = CurlLoader.Configuration()
    curl.headers = ["User-Agent": "Easel", "Accept-Encoding": "identity"]
    curl.maximumTransfers = configuration.maximumTransfers
    curl.maximumTransfersPerHost = configuration.maximumTransfers
    curl.certificateAuthorities = configuration.certificateAuthorities
    curl.addressPolicy = configuration.addressPolicy
    curl.resumeStore = resumeStore
    curl.keepsDotSegments = true
    // Sending a write twice has the same result as sending it once. If the write is conditional, the server may refuse
    // the second one. The store then reads the object, as it does after another machine's write.
    curl.repeatsChanges = true
    // A signature is valid for one host, so after a redirect the request must be signed again.
    curl.mayFollow = { redirect in throw HostRedirect(redirect.target) }
    return curl
  }

  private static func fetch(_ endpoint: ContainerEndpoint) async throws -> [UInt8] {
    var curl = CurlLoader.Configuration()
    curl.resumeStore = nil
    curl.maximumRedirects = 0
    curl.connectTimeout = .seconds(2)
    curl.totalTimeout = .seconds(5)
    curl.proxy = .direct
    let sink = CollectingSink(limit: 64 << 10)
    var headers = HTTPHeaders()
    if let token = endpoint.token { headers["Authorization"] = token }
    _ = try await CurlLoader(curl).load(
      LoadRequest(url: endpoint.url, headers: headers, byteLimit: 64 << 10), into: sink)
    let answer = try sink.answer()
    guard answer.status == 200 else {
      throw ImageError(
        .badStatus, "The container's endpoint for credentials answers with status \(answer.status).",
        response: answer.head)
    }
    return answer.body
  }
}

/// The region of a request and, after a redirect, its host.
struct S3Endpoint: Hashable {
  var region: String
  var host: String?
}

/// The response came from a server whose region does not have the bucket.
struct RegionRedirect: Error {
  let region: String
}

/// A redirect to another host.
struct HostRedirect: Error {
  let host: String

  init(_ url: URL) { host = url.host ?? "" }

  var isAmazons: Bool { host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn") }
}
