/// Decides which caches of a group take part in an operation, and in which order.
public enum CacheGroupPolicy: Hashable, Sendable, CaseIterable {
  /// One cache after another, from the highest to the lowest; a question ends with the first answer.
  case serial
  /// All caches at once. The first hit of a query counts, and the other queries are cancelled.
  ///
  /// A picture in the memory of any cache is found before the caches are queried.
  case concurrent
  /// Only the highest cache.
  case highestOnly
  /// Only the lowest cache.
  case lowestOnly
}
