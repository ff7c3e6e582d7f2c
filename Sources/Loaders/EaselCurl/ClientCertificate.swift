/// A certificate by which the loader shows who it is.
public struct ClientCertificate: Hashable, Sendable {
  /// The file of the certificate, in PEM.
  public var certificateFile: String
  /// The file of its private key, in PEM; nil where the file of the certificate has it too.
  public var keyFile: String?
  /// The password of the key.
  public var keyPassword: String?

  /// Creates a certificate.
  public init(certificateFile: String, keyFile: String? = nil, keyPassword: String? = nil) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.keyPassword = keyPassword
  }
}
