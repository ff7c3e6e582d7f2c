/// How a picture is fitted to a size of another ratio; the raw values stand in cache keys.
public enum ResizeMode: Int, Hashable, Sendable, CaseIterable {
  /// It is stretched.
  case fill = 0
  /// It is shown whole, centred on transparent bars.
  case aspectFit = 1
  /// It covers everything, centred, and what sticks out is cut off.
  case aspectFill = 2
}
