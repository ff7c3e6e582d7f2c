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
