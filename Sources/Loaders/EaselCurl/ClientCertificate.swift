/// A certificate that identifies the loader to servers.
public struct ClientCertificate: Hashable, Sendable {
  /// The path of the certificate file, in PEM.
  public var certificateFile: String
  /// The path of the file with the private key, in PEM; nil when the certificate file contains the key.
  public var keyFile: String?
  /// The password of the private key.
  public var keyPassword: String?

  /// Creates a certificate.
  public init(certificateFile: String, keyFile: String? = nil, keyPassword: String? = nil) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.keyPassword = keyPassword
  }
}
