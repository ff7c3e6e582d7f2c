import EaselCore

extension TieredCache {
  /// The time limits of a ``TieredCache`` for its shared store.
  public struct SharedStoreSettings: Sendable {
    /// The longest wait for an answer while a load waits.
    ///
    /// A load waits this long at most once: if the store does not answer in time, the load continues without it.
    public var answerTime = Duration.milliseconds(100)
    /// The longest wait for an original, which is usually larger than the pictures made from it.
    public var originalAnswerTime = Duration.milliseconds(500)
    /// The longest time to store an entry, while no caller waits.
    public var storeTime = Duration.seconds(1)
    /// The longest time to remove all entries, or to count them.
    public var tidyTime = Duration.seconds(30)
    /// The number of failed lookups in a row after which the store is not asked for a while.
    ///
    /// Other calls that fail do not count, because no load waits for them.
    public var failuresToOpen = 5
    /// The time for which the store is not asked after these failures.
    ///
    /// After this time, one call tries whether the store works again. No load waits for this call, and the store must
    /// answer it within ``answerTime``.
    public var openTime = Duration.seconds(5)
    /// Receives each event of the store; it must be quick.
    public var observer: (@Sendable (TieredCache.SharedStoreEvent) -> Void)?
    /// Receives a sentence about the store's failures, at most once a minute.
    public var log: (@Sendable (String) -> Void)?

    /// Begins with the default settings, which can be changed one by one.
    public init() {}

    /// The longest wait for the entry of this key.
    package func time(toFind key: CacheKey) -> Duration { key.isVariant ? answerTime : originalAnswerTime }
  }
}

extension TieredCache {
  /// An event of a shared store.
  public enum SharedStoreEvent: Sendable {
    /// The store had an entry.
    case hit
    /// The store had no entry.
    case miss
    /// A call failed or took too long.
    case failed(ImageError)
    /// The store failed too often and is not asked for a while.
    case opened
    /// The store works again.
    case closed
  }
}

extension TieredCache {
  /// The numbers of calls of a shared store, by their outcomes.
  public struct SharedStoreCounts: Hashable, Sendable {
    /// The lookups that found an entry.
    public var hits = 0
    /// The lookups that found nothing.
    public var misses = 0
    /// The calls that failed or took too long.
    public var failures = 0
    /// The calls that were not made, because the store had failed before.
    public var passedOver = 0
    /// The number of times that the store was not asked for a while.
    public var openings = 0
    /// True while the store is not asked.
    public var isOpen = false

    /// Creates counts that are all zero.
    public init() {}
  }
}
