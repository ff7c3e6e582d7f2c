/// Changes a request before it is sent: signs it, adds a token, points it elsewhere.
///
/// It may wait as long as it must, and only cancelling the load ends that. It must not block its thread.
public protocol RequestModifier: Sendable {
  /// What tells the bytes it leads to from others; nil for "this instance only, never on disk".
  ///
  /// The key of a picture is made before the modifier runs, so this must name all that it adds and that decides what
  /// comes back: a modifier that sends a user's token names the user, or a hash of the token. Two users under one
  /// identity are served each other's pictures, and so are two users of one instance without an identity: give each
  /// user an instance.
  var cacheIdentity: String? { get }

  /// The request to send; nil ends the load.
  func modify(_ request: LoadRequest) async throws -> LoadRequest?
}
