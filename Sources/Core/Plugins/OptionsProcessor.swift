import FoundationEssentials

/// Has the last word on the options and the context of every load.
public protocol OptionsProcessor: Sendable {
  /// Changes options and context in place.
  func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext)
}
