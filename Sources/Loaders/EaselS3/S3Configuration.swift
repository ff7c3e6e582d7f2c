import EaselCurl
import FoundationEssentials

/// The settings of an S3 server: region, address, credentials and connections.
public struct S3Configuration: Sendable {
  /// The ways to name a bucket in a URL.
  public enum Addressing: String, Hashable, Sendable, CaseIterable {
    /// The bucket is the first part of the host.
    case host
    /// The bucket is the first part of the path; most servers other than Amazon's need this.
    case path
  }

  /// The region, which is part of every signature.
  public var region: String
  /// The URL of the server, without a bucket; nil for Amazon's server in the region.
  public var endpoint: URL?
  /// The way to name a bucket; nil for the host at Amazon, and for the path elsewhere.
  public var addressing: Addressing?
  /// The source of the credentials.
  public var credentials: S3CredentialSource
  /// The most transfers that run at once.
  public var maximumTransfers = 32
  /// A file with the certificate authorities to trust, which replace those of the system.
  public var certificateAuthorities: String?
  /// The addresses that may be connected to.
  public var addressPolicy = AddressPolicy.allowAll

  /// Takes the region, the server and the credentials.
  ///
  /// Without a region, it comes from `AWS_REGION` or `AWS_DEFAULT_REGION`, or else is `us-east-1`.
  public init(region: String? = nil, endpoint: URL? = nil, credentials: S3CredentialSource = .automatic) {
    self.init(region: region, endpoint: endpoint, credentials: credentials, environment: S3Environment.current)
  }

  init(region: String?, endpoint: URL?, credentials: S3CredentialSource, environment: [String: String]) {
    self.region = region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? "us-east-1"
    self.endpoint = endpoint ?? environment["AWS_ENDPOINT_URL"].flatMap { URL(string: $0) }
    self.credentials = credentials
    self.environment = environment
  }

  /// The settings of Google Cloud Storage, whose objects are written `gs://bucket/key`.
  ///
  /// It takes requests that are signed as those to S3 are, with HMAC keys that its console makes for a service account.
  ///
  /// ```swift
  /// let keys = S3Credentials(accessKeyID: "GOOG1EXAMPLE", secretAccessKey: "secret")
  /// configuration.loader = LoaderChain([S3Loader(.google(credentials: .fixed(keys))), CurlLoader()])
  /// ```
  public static func google(
    credentials: S3CredentialSource, endpoint: URL = URL(string: "https://storage.googleapis.com")!
  ) -> S3Configuration {
    var configuration = S3Configuration(region: "auto", endpoint: endpoint, credentials: credentials, environment: [:])
    configuration.scheme = "gs"
    return configuration
  }

  /// The scheme of the URLs of objects.
  var scheme = "s3"

  /// The environment in which credentials are looked for.
  let environment: [String: String]

  /// The part of cache keys that stands for the server and the credentials, which decide the bytes.
  var identity: String {
    "\(scheme)|\(endpoint?.absoluteString ?? "amazonaws.com")|\(credentials.identity)"
  }
}

/// The environment of the process.
enum S3Environment {
  static var current: [String: String] { ProcessInfo.processInfo.environment }
}
