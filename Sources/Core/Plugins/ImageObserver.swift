/// Receives every event of every load, for metrics and logs.
///
/// An observer must be quick, because it is called on the thread of the event.
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

extension ClosurePlugin: ImageObserver where Call == @Sendable (ImageEvent) -> Void {
  /// Calls the closure.
  public func observe(_ event: ImageEvent) { call(event) }

  /// Joins two observers; returns the other one when one of them is nil.
  package static func joining(_ first: (any ImageObserver)?, _ second: (any ImageObserver)?) -> (any ImageObserver)? {
    guard let first, let second else { return first ?? second }
    return .all(first, second)
  }
}

extension ImageObserver where Self == ClosurePlugin<@Sendable (ImageEvent) -> Void> {
  /// Calls `body` with each event.
  public static func closure(_ body: @escaping @Sendable (ImageEvent) -> Void) -> Self {
    ClosurePlugin(.instance, body)
  }

  /// Passes each event on to several observers, one after the other.
  ///
  /// ```swift
  /// configuration.observer = .all(.closure { print($0.kind) }, .closure { print($0.load) })
  /// ```
  public static func all(_ observers: any ImageObserver...) -> Self {
    .closure { event in
      for observer in observers { observer.observe(event) }
    }
  }
}
