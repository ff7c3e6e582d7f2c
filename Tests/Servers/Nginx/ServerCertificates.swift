import EaselCore
import EaselSupport
import Foundation

/// Certificates made on demand: a self-signed one for the server, and one for a client.
public struct ServerCertificates: Sendable {
  /// The server's certificate, which a client must trust as an authority.
  public let authorityPath: String
  /// The server's private key.
  public let keyPath: String
  /// A client certificate that the server accepts.
  public let clientCertificatePath: String
  /// The key of the client's certificate.
  public let clientKeyPath: String
  /// The server's public key in the form of pins: `sha256//` and the hash in base64.
  public let publicKeyPin: String

  init(openssl: String, directory: String) throws {
    authorityPath = directory + "/server.pem"
    keyPath = directory + "/server.key"
    clientCertificatePath = directory + "/client.pem"
    clientKeyPath = directory + "/client.key"
    let names = "subjectAltName=IP:127.0.0.1,DNS:localhost"
    try Self.make(openssl, "localhost", certificate: authorityPath, key: keyPath, more: ["-addext", names])
    try Self.make(openssl, "client", certificate: clientCertificatePath, key: clientKeyPath, more: [])
    let publicKey = try Program.run(openssl, ["pkey", "-in", keyPath, "-pubout", "-outform", "DER"])
    publicKeyPin = "sha256//" + Data(SHA256.hash(publicKey)).base64EncodedString()
  }

  private static func make(
    _ openssl: String, _ name: String, certificate: String, key: String, more: [String]
  ) throws {
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    try Program.run(openssl, kind + ["-subj", "/CN=\(name)", "-keyout", key, "-out", certificate] + more)
  }
}
