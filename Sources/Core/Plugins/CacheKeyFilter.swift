import FoundationEssentials

/// Chooses the name that stands for the picture at a URL in cache keys.
///
/// ```swift
/// configuration.cacheKeyFilter = .closure { url in String(url.absoluteString.prefix { $0 != "?" }) }
/// ```
public protocol CacheKeyFilter: Sendable {
  /// The name of the original; nil keeps the picture out of every cache.
  func original(for url: URL) -> String?
}

extension ClosurePlugin: CacheKeyFilter where Call == @Sendable (URL) -> String? {
  /// Calls the closure.
  public func original(for url: URL) -> String? { call(url) }
}

extension CacheKeyFilter where Self == ClosurePlugin<@Sendable (URL) -> String?> {
  /// Calls `body` for the name; nil keeps the picture out of every cache.
  public static func closure(_ body: @escaping @Sendable (URL) -> String?) -> Self { ClosurePlugin(.instance, body) }
}
