import Hummingbird
import NIOCore

/// A context of requests that knows the connection, so that work ends when its client leaves.
///
/// ``PictureRequestContext`` is a ready one. A context of your own keeps the channel of its source:
///
/// ```swift
/// struct AppContext: PictureContext {
///   var coreContext: CoreRequestContextStorage
///   let channel: any Channel
///   init(source: Source) { (coreContext, channel) = (.init(source: source), source.channel) }
/// }
/// ```
public protocol PictureContext: RequestContext {
  /// The connection on which the request came.
  var channel: any Channel { get }
}

/// The smallest context of requests that knows the connection.
public struct PictureRequestContext: PictureContext {
  /// The storage that Hummingbird demands of each context.
  public var coreContext: CoreRequestContextStorage
  /// The connection on which the request came.
  public let channel: any Channel

  /// Takes the connection of a request.
  public init(source: Source) { (coreContext, channel) = (.init(source: source), source.channel) }
}
