/// Changes a request before it is sent: signs it, adds a token, points it elsewhere.
public protocol RequestModifier: Sendable {
  /// What tells the bytes it leads to from others; nil for "this instance only, never on disk".
  var cacheIdentity: String? { get }

  /// The request to send; nil ends the load.
  func modify(_ request: LoadRequest) async throws -> LoadRequest?
}
