/// Which caches of a group take part in an operation, and in which order.
public enum CacheGroupPolicy: Hashable, Sendable, CaseIterable {
  /// One after another, from the highest to the lowest; a question ends where it is answered.
  case serial
  /// All at once: of a query the first hit counts, and the others are cancelled.
  ///
  /// A picture that a memory has at hand is found before any cache is queried.
  case concurrent
  /// The highest alone.
  case highestOnly
  /// The lowest alone.
  case lowestOnly
}
