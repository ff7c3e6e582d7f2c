/// How a stored picture must be turned to stand upright; the raw values are those of EXIF.
public enum ImageOrientation: Int, Hashable, Sendable, CaseIterable, Codable {
  /// It stands upright.
  case up = 1
  /// It is mirrored left to right.
  case upMirrored = 2
  /// It stands on its head.
  case down = 3
  /// It is mirrored top to bottom.
  case downMirrored = 4
  /// It is mirrored along the diagonal from the top left.
  case leftMirrored = 5
  /// It must be turned a quarter clockwise.
  case right = 6
  /// It is mirrored along the diagonal from the top right.
  case rightMirrored = 7
  /// It must be turned a quarter counter-clockwise.
  case left = 8

  /// Whether width and height change places when the picture is set upright.
  public var swapsSides: Bool { rawValue >= 5 }
}
