/// The credential that a loader sends to a server.
public enum HTTPCredential: Hashable, Sendable {
  /// User name and password, sent with the first request.
  ///
  /// Without TLS anyone on the way can read them.
  case basic(user: String, password: String)
  /// User name and a digest of the password, sent when the server asks.
  case digest(user: String, password: String)
  /// A bearer token, sent with the first request.
  case bearer(String)
}
