/// Where on a picture another one is laid; the raw values stand in cache keys.
public enum OverlayAnchor: Int, Hashable, Sendable, CaseIterable {
  /// At the top left.
  case topLeft = 0
  /// In the middle of the top.
  case top = 1
  /// At the top right.
  case topRight = 2
  /// In the middle of the left side.
  case left = 3
  /// In the middle.
  case center = 4
  /// In the middle of the right side.
  case right = 5
  /// At the bottom left.
  case bottomLeft = 6
  /// In the middle of the bottom.
  case bottom = 7
  /// At the bottom right.
  case bottomRight = 8

  var column: Int { rawValue % 3 }
  var row: Int { rawValue / 3 }
}
