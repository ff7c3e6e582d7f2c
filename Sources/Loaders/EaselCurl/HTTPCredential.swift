/// How a load shows a server who it is.
public enum HTTPCredential: Hashable, Sendable {
  /// Name and password, sent with the first request; anyone on the way can read them where the connection is plain.
  case basic(user: String, password: String)
  /// Name and a digest of the password, sent when the server asks.
  case digest(user: String, password: String)
  /// A token.
  case bearer(String)
}
