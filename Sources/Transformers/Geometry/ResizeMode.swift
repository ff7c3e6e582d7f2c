/// How a picture is fitted to a size of another ratio; the raw values stand in cache keys.
public enum ResizeMode: Int, Hashable, Sendable, CaseIterable {
  /// It is stretched.
  case fill = 0
  /// It is shown whole, centred on transparent bars.
  case aspectFit = 1
  /// It covers everything, centred, and what sticks out is cut off.
  case aspectFill = 2
  /// It is made as large as fits inside, smaller or larger, and the result has its ratio: there are no bars.
  case inside = 3
  /// It is made to fit inside where it does not yet, and the result has its ratio: there are no bars.
  case insideUnlessSmaller = 4
}
