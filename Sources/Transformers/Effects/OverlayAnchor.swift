import EaselCore

extension TransformerPipeline {
  /// The position of an overlaid picture; the raw values are part of cache keys.
  public enum OverlayAnchor: Int, Hashable, Sendable, CaseIterable {
    /// At the top left.
    case topLeft = 0
    /// In the middle of the top edge.
    case top = 1
    /// At the top right.
    case topRight = 2
    /// In the middle of the left edge.
    case left = 3
    /// In the middle.
    case center = 4
    /// In the middle of the right edge.
    case right = 5
    /// At the bottom left.
    case bottomLeft = 6
    /// In the middle of the bottom edge.
    case bottom = 7
    /// At the bottom right.
    case bottomRight = 8

    var column: Int { rawValue % 3 }
    var row: Int { rawValue / 3 }
  }
}
