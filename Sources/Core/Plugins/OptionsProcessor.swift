import FoundationEssentials

/// Makes the final changes to the options and the context of every load.
///
/// ```swift
/// configuration.optionsProcessor = .closure { url, _, context in
///   if url.path.hasPrefix("/avatars/") { context[.thumbnailSize] = PixelSize(width: 64, height: 64) }
/// }
/// ```
public protocol OptionsProcessor: Sendable {
  /// Changes options and context in place.
  func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext)
}

extension ClosurePlugin: OptionsProcessor
where Call == @Sendable (URL, inout ImageOptions, inout ImageContext) -> Void {
  /// Calls the closure.
  public func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext) {
    call(url, &options, &context)
  }
}

extension OptionsProcessor
where Self == ClosurePlugin<@Sendable (URL, inout ImageOptions, inout ImageContext) -> Void> {
  /// Calls `body`, which may change the options and the context.
  public static func closure(
    _ body: @escaping @Sendable (URL, inout ImageOptions, inout ImageContext) -> Void
  ) -> Self { ClosurePlugin(.instance, body) }
}
