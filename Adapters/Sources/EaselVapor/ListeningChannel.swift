import NIOConcurrencyHelpers
import NIOCore
import Vapor

/// Finds the socket at which Vapor's server listens.
enum ListeningChannel {
  /// The channel of a server that has begun; nil if it is not where Vapor 4 keeps it.
  ///
  /// Vapor has no way to ask for it, so it is looked for among what the server stores.
  static func of(_ server: HTTPServer) -> (any Channel)? {
    guard let stored = Mirror(reflecting: server).descendant("connection") as? any LockedContent else { return nil }
    return Mirror(reflecting: stored.content).descendant("some", "channel") as? any Channel
  }
}

/// A value behind a lock, whose type nobody else can name.
private protocol LockedContent {
  var content: Any { get }
}

extension NIOLockedValueBox: LockedContent {
  fileprivate var content: Any { withLockedValue { $0 } }
}
