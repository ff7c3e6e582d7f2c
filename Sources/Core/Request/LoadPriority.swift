/// How urgent a load is.
public enum LoadPriority: Int, Comparable, Hashable, Sendable, CaseIterable {
  /// When nothing else is to do.
  case veryLow
  /// After the normal ones.
  case low
  /// The default.
  case normal
  /// Before the normal ones.
  case high
  /// Before everything.
  case veryHigh

  /// Compares urgency.
  public static func < (left: LoadPriority, right: LoadPriority) -> Bool { left.rawValue < right.rawValue }
}
