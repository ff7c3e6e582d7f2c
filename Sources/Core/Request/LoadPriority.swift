/// The priority of a load.
public enum LoadPriority: Int, Comparable, Hashable, Sendable, CaseIterable {
  /// Runs when nothing else waits.
  case veryLow
  /// Runs after loads of normal priority.
  case low
  /// The default.
  case normal
  /// Runs before loads of normal priority.
  case high
  /// Runs before all others.
  case veryHigh

  /// Compares two priorities.
  public static func < (left: LoadPriority, right: LoadPriority) -> Bool { left.rawValue < right.rawValue }
}
