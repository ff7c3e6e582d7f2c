/// Which of two jobs of the same priority goes first.
public enum WorkOrder: Hashable, Sendable {
  /// The one that waited longer.
  case firstInFirstOut
  /// The one that came last, for lists that scroll.
  case lastInFirstOut
}
