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
  let body: @Sendable (ImageEvent) -> Void

  /// Calls the closure.
  public func observe(_ event: ImageEvent) { body(event) }
}

extension ImageObserver where Self == ClosureImageObserver {
  /// Calls `body` with each event.
  public static func closure(_ body: @escaping @Sendable (ImageEvent) -> Void) -> Self { Self(body: body) }
}

/// Forwards events to two observers, one after the other.
struct ObserverPair: ImageObserver {
  private let first: any ImageObserver
  private let second: any ImageObserver

  /// Joins two observers; returns the other one when one of them is nil.
  static func joining(_ first: (any ImageObserver)?, _ second: (any ImageObserver)?) -> (any ImageObserver)? {
    guard let first, let second else { return first ?? second }
    return ObserverPair(first: first, second: second)
  }

  private init(first: any ImageObserver, second: any ImageObserver) {
    self.first = first
    self.second = second
  }

  func observe(_ event: ImageEvent) {
    first.observe(event)
    second.observe(event)
  }
}
