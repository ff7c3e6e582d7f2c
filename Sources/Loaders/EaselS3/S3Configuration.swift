import EaselCurl
import FoundationEssentials

/// The server of S3, and the way to it.
public struct S3Configuration: Sendable {
  /// The ways to name a bucket in a URL.
  public enum Addressing: String, Hashable, Sendable, CaseIterable {
    /// The bucket is the first part of the host.
    case host
    /// The bucket is the first part of the path, as most servers other than Amazon's need it.
    case path
  }

  /// The region, which every signature names.
  public var region: String
  /// The server, without a bucket; nil for Amazon's of the region.
  public var endpoint: URL?
  /// The way to name a bucket; nil means the host at Amazon and the path elsewhere.
  public var addressing: Addressing?
  /// The source of the credentials.
  public var credentials: S3CredentialSource
  /// The most transfers at once.
  public var maximumTransfers = 32
  /// A file of certificate authorities to trust in place of the system's.
  public var certificateAuthorities: String?
  /// Which addresses may be connected to.
  public var addressPolicy = AddressPolicy.allowAll

  /// Names the region, the server and the credentials.
  ///
  /// Without a region, it is the one of `AWS_REGION` or `AWS_DEFAULT_REGION`, else `us-east-1`.
  public init(region: String? = nil, endpoint: URL? = nil, credentials: S3CredentialSource = .automatic) {
    self.init(region: region, endpoint: endpoint, credentials: credentials, environment: S3Environment.current)
  }

  init(region: String?, endpoint: URL?, credentials: S3CredentialSource, environment: [String: String]) {
    self.region = region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? "us-east-1"
    self.endpoint = endpoint ?? environment["AWS_ENDPOINT_URL"].flatMap { URL(string: $0) }
    self.credentials = credentials
    self.environment = environment
  }

  /// The environment in which credentials are looked for.
  let environment: [String: String]

  /// Names in cache keys what decides the bytes.
  var identity: String {
    "s3|\(endpoint?.absoluteString ?? "amazonaws.com")|\(credentials.identity)"
  }
}

/// The environment of the process.
enum S3Environment {
  static var current: [String: String] { ProcessInfo.processInfo.environment }
}
