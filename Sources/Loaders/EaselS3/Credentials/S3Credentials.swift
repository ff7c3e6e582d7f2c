import FoundationEssentials

/// The keys with which requests to S3 are signed.
public struct S3Credentials: Hashable, Sendable {
  /// The public part.
  public var accessKeyID: String
  /// The secret part.
  public var secretAccessKey: String
  /// The token of temporary credentials.
  public var sessionToken: String?
  /// The end of temporary credentials.
  public var expires: Date?

  /// Takes the two keys, and the token and the end of temporary credentials.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expires: Date? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
    self.expires = expires
  }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible {
  /// The public part alone, so that the secret part does not get into logs.
  public var description: String { "S3Credentials(\(accessKeyID))" }

  /// The public part alone.
  public var debugDescription: String { description }
}

/// The source of the credentials for S3.
public enum S3CredentialSource: Hashable, Sendable {
  /// These credentials.
  case fixed(S3Credentials)
  /// No credentials: requests are not signed, which public buckets allow.
  case anonymous
  /// The environment, or else the shared file, or else the endpoint of the container.
  case automatic
  /// A profile of the shared credentials file; nil means `AWS_PROFILE`, or `default`.
  case profile(String?)

  /// The name of the source in cache keys.
  var identity: String {
    switch self {
    case .fixed(let credentials): credentials.accessKeyID
    case .anonymous: "anonymous"
    case .automatic: "automatic"
    case .profile(let name): "profile:\(name ?? "")"
    }
  }
}
