/// How many pixels lie on an inch.
public struct PixelDensity: Hashable, Sendable, Codable {
  /// Pixels to the inch across.
  public var horizontal: Double
  /// Pixels to the inch down.
  public var vertical: Double

  /// Creates a density.
  public init(horizontal: Double, vertical: Double) {
    self.horizontal = horizontal
    self.vertical = vertical
  }
}
