/// Receives every event of every load, for metrics and logs.
///
/// An observer must be quick. It is called on the thread on which the event happens.
///
/// ```swift
/// configuration.observer = .closure { event in
///   if case .failed(let error) = event.kind { print(error.message) }
/// }
/// ```
public protocol ImageObserver: Sendable {
  /// Receives an event.
  func observe(_ event: ImageEvent)
}

/// An observer made of a closure.
public struct ClosureImageObserver: ImageObserver {
  package let body: @Sendable (ImageEvent) -> Void

  /// Calls the closure.
  public func observe(_ event: ImageEvent) { body(event) }
}

extension ImageObserver where Self == ClosureImageObserver {
  /// Calls `body` with each event.
  public static func closure(_ body: @escaping @Sendable (ImageEvent) -> Void) -> Self { Self(body: body) }
}

/// Several observers behind one, which get each event one after the other.
public struct ObserverGroup: ImageObserver {
  private let members: [any ImageObserver]

  /// Creates a group.
  public init(_ members: [any ImageObserver]) { self.members = members }

  /// Joins two observers; returns the other one when one of them is nil.
  package static func joining(_ first: (any ImageObserver)?, _ second: (any ImageObserver)?) -> (any ImageObserver)? {
    guard let first, let second else { return first ?? second }
    return ObserverGroup([first, second])
  }

  /// Passes the event on to each member, in the order in which they were given.
  public func observe(_ event: ImageEvent) {
    for member in members { member.observe(event) }
  }
}

extension ImageObserver where Self == ObserverGroup {
  /// Passes each event on to several observers.
  ///
  /// ```swift
  /// configuration.observer = .all(.closure { print($0.kind) }, .closure { print($0.load) })
  /// ```
  public static func all(_ observers: any ImageObserver...) -> Self { Self(observers) }
}
