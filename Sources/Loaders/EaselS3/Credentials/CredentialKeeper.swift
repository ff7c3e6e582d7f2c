import EaselCore
import FoundationEssentials

/// Finds the credentials of a source, keeps them, and renews temporary ones before they end.
///
/// Callers that come while credentials are being fetched wait for the same fetch.
actor CredentialKeeper {
  private let source: S3CredentialSource
  private let environment: [String: String]
  private let fetch: @Sendable (ContainerEndpoint) async throws -> [UInt8]
  private let now: @Sendable () -> Date
  private var known: S3Credentials?
  private var fetching: Task<S3Credentials?, any Error>?

  /// If less than this time remains, temporary credentials are renewed.
  private static let leastRemaining: TimeInterval = 300

  init(
    _ source: S3CredentialSource, environment: [String: String], now: @escaping @Sendable () -> Date = { Date() },
    fetch: @escaping @Sendable (ContainerEndpoint) async throws -> [UInt8]
  ) {
    self.source = source
    self.environment = environment
    self.now = now
    self.fetch = fetch
  }

  /// Returns the credentials; nil for requests that are not signed.
  func credentials() async throws -> S3Credentials? {
    if let known, isLasting(known, for: Self.leastRemaining) { return known }
    let running =
      fetching
      ?? Task {
        defer { fetching = nil }
        let found = try await find()
        known = found
        return found
      }
    fetching = running
    do {
      return try await running.value
    } catch {
      // If their renewal fails, the known credentials may still be valid for a while.
      if let known, isLasting(known, for: 0) { return known }
      throw error
    }
  }

  private func isLasting(_ credentials: S3Credentials, for time: TimeInterval) -> Bool {
    credentials.expires.map { $0.timeIntervalSince(now()) > time } ?? true
  }

  private func find() async throws -> S3Credentials? {
    switch source {
    case .fixed(let credentials): return credentials
    case .anonymous: return nil
    case .profile(let name):
      let name = name ?? profile
      if let found = inFile(name) { return found }
      throw ImageError(.invalidRequest, "There are no S3 credentials for the profile `\(name)` in \(file).")
    case .automatic:
      if let found = inEnvironment ?? inFile(profile) { return found }
      if let endpoint = try ContainerEndpoint(environment: environment, readFile: Self.text) {
        if let found = ContainerEndpoint.credentials(in: try await fetch(endpoint)) { return found }
        throw ImageError(.invalidResponse, "The container's endpoint does not answer with credentials for S3.")
      }
      throw ImageError(
        .invalidRequest,
        "There are no credentials for S3: neither in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, nor for the profile "
          + "`\(profile)` in \(file), nor from a container's endpoint. Public buckets need `anonymous`.")
    }
  }

  private var inEnvironment: S3Credentials? {
    guard let id = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"], !id.isEmpty,
      !secret.isEmpty
    else { return nil }
    let token = environment["AWS_SESSION_TOKEN"]
    return S3Credentials(
      accessKeyID: id, secretAccessKey: secret, sessionToken: token?.isEmpty == false ? token : nil)
  }

  private var profile: String { environment["AWS_PROFILE"] ?? "default" }

  private var file: String {
    environment["AWS_SHARED_CREDENTIALS_FILE"] ?? (environment["HOME"] ?? "") + "/.aws/credentials"
  }

  private func inFile(_ profile: String) -> S3Credentials? {
    Self.text(in: file).flatMap { CredentialsFile.credentials(in: $0, profile: profile) }
  }

  private static func text(in file: String) -> String? {
    (try? ImageBytes(contentsOfFile: file).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }) ?? nil
  }
}
