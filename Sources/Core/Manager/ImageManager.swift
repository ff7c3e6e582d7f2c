/// Loads pictures: looks in the caches, asks the loader, decodes, transforms, stores, and delivers exactly once.
public final class ImageManager: Sendable {
  /// What the manager is made of.
  public let configuration: Configuration

  /// Creates a manager.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
  }
}
