/// Changes the head of a response before it is checked.
///
/// The transfer is paused meanwhile; only cancelling the load ends it. It must not block its thread.
public protocol ResponseModifier: Sendable {
  /// What tells the bytes it leads to from others; nil for "this instance only, never on disk".
  var cacheIdentity: String? { get }

  /// The head to go on with; nil ends the load.
  func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead?
}
