/// The order in which the frames of a moving picture are shown.
public enum PlayMode: Hashable, Sendable {
  /// From the first frame to the last.
  case normal
  /// From the last frame to the first.
  case reverse
  /// From the first frame to the last and back, as one play; no frame is shown twice in a row.
  case bounce
  /// From the last frame to the first and back, as one play; no frame is shown twice in a row.
  case reversedBounce
}
