/// The way a stored picture must be turned to stand upright; the raw values are those of EXIF.
public enum ImageOrientation: Int, Hashable, Sendable, CaseIterable, Codable {
  /// Stored upright.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Stored upside down.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Mirrored along the diagonal from the top left.
  case leftMirrored = 5
  /// Must be turned a quarter clockwise to stand upright.
  case right = 6
  /// Mirrored along the diagonal from the top right.
  case rightMirrored = 7
  /// Must be turned a quarter counter-clockwise to stand upright.
  case left = 8

  /// True when setting the picture upright swaps width and height.
  public var swapsSides: Bool { rawValue >= 5 }
}
