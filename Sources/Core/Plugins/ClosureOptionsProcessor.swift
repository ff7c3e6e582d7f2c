import FoundationEssentials

/// An options processor made of a closure.
public struct ClosureOptionsProcessor: OptionsProcessor {
  let body: @Sendable (URL, inout ImageOptions, inout ImageContext) -> Void

  /// Calls the closure.
  public func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext) {
    body(url, &options, &context)
  }
}

extension OptionsProcessor where Self == ClosureOptionsProcessor {
  /// Calls `body` with what it may change.
  public static func closure(
    _ body: @escaping @Sendable (URL, inout ImageOptions, inout ImageContext) -> Void
  ) -> Self { Self(body: body) }
}
