import EaselCore
import FoundationEssentials

/// The address at which a container gets temporary credentials.
struct ContainerEndpoint: Hashable {
  let url: URL
  let token: String?

  /// The endpoint that the environment names; nil if it names none.
  ///
  /// Throws for a host to which Amazon's own tools would not send the token.
  init?(environment: [String: String], readFile: (String) -> String?) throws(ImageError) {
    if let relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"], !relative.isEmpty {
      guard relative.hasPrefix("/"), let url = URL(string: "http://169.254.170.2\(relative)") else {
        throw ImageError(
          .invalidRequest, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be a path that begins with a slash.")
      }
      (self.url, token) = (url, nil)
      return
    }
    guard let full = environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"], !full.isEmpty else { return nil }
    guard let url = URL(string: full), let host = url.host, Self.isAllowed(host, scheme: url.scheme) else {
      throw ImageError(
        .invalidRequest,
        "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or http to this machine or the container's own endpoints.")
    }
    self.url = url
    let file = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]
    let tokenInFile = file.map { readFile($0)?.split(whereSeparator: \.isNewline).first.map(String.init) }
    token = (tokenInFile ?? nil) ?? environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
  }

  private static func isAllowed(_ host: String, scheme: String?) -> Bool {
    if scheme == "https" { return true }
    guard scheme == "http" else { return false }
    let allowed = [
      "localhost", "127.0.0.1", "::1", "[::1]", "169.254.170.2", "169.254.170.23", "fd00:ec2::23", "[fd00:ec2::23]",
    ]
    return allowed.contains(host)
  }

  /// The credentials in the response of the endpoint.
  static func credentials(in answer: [UInt8]) -> S3Credentials? {
    guard let answer = try? JSONDecoder().decode(Response.self, from: Data(answer)) else { return nil }
    return S3Credentials(
      accessKeyID: answer.AccessKeyId, secretAccessKey: answer.SecretAccessKey, sessionToken: answer.Token,
      expires: answer.Expiration.flatMap { try? Date($0, strategy: .iso8601) })
  }

  private struct Response: Decodable {
    let AccessKeyId: String
    let SecretAccessKey: String
    let Token: String?
    let Expiration: String?
  }
}
