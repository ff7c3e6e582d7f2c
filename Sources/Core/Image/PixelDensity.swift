/// The number of pixels per inch.
public struct PixelDensity: Hashable, Sendable, Codable {
  /// The horizontal number of pixels per inch.
  public var horizontal: Double
  /// The vertical number of pixels per inch.
  public var vertical: Double

  /// Creates a density.
  public init(horizontal: Double, vertical: Double) {
    self.horizontal = horizontal
    self.vertical = vertical
  }
}
