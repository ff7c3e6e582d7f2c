import EaselCore
import EaselSupport
import EaselTiers
import FoundationEssentials

/// Removes what purges leave on the disk and in the shared store, under keys that nobody asks for any more.
///
/// A purge takes effect without it, because it changes the keys. It looks at each entry of the disk once, behind all other
/// work, and again if there was another purge meanwhile. Between two rounds it rests, so that purges that follow one another
/// cost little.
final class PurgeSweep: Sendable {
  /// The entries that were removed.
  struct Figures: Hashable, Sendable {
    var entries = 0
    var bytes = 0
  }

  private struct State {
    var figures = Figures()
    var task: Task<Void, Never>?
    var mustRunAgain = false
    /// The uptime before which no other round begins.
    var restsUntil = Duration.zero
  }

  /// The rest after a round, as a multiple of the time that it took.
  private static let rest = 10

  private let caches: [TieredCache]
  private let clock: any ImageClock
  private let isPurged: @Sendable (CacheKey, CacheRecord?) -> Bool
  private let state = Locked(State())

  /// `isPurged` tells the entries that nobody asks for.
  init(
    _ caches: [any ImageCache], clock: any ImageClock,
    isPurged: @escaping @Sendable (CacheKey, CacheRecord?) -> Bool
  ) {
    self.clock = clock
    self.caches = caches.compactMap { $0 as? TieredCache }.filter { $0.disk != nil }
    self.isPurged = isPurged
  }

  deinit { state.withLock { $0.task }?.cancel() }

  var figures: Figures { state.withLock { $0.figures } }

  /// Begins to remove, or begins again after the present round.
  func begin() {
    guard !caches.isEmpty else { return }
    state.withLock { state in
      guard state.task == nil else { return state.mustRunAgain = true }
      state.task = Task.detached(priority: .low) { [weak self, clock] in
        repeat {
          guard let end = self?.state.withLock({ $0.restsUntil }) else { return }
          let pause = end - clock.uptime
          if pause > .zero { try? await clock.sleep(for: pause) }
        } while await self?.round() == true
      }
    }
  }

  /// Waits until everything is removed.
  func waitForEnd() async { while let task = state.withLock({ $0.task }) { await task.value } }

  /// Looks at everything once; returns true if there must be another round.
  private func round() async -> Bool {
    let start = clock.uptime
    for cache in caches { await sweep(cache) }
    let end = clock.uptime
    return state.withLock { state in
      defer { state.mustRunAgain = false }
      state.restsUntil = end + (end - start) * Self.rest
      if !state.mustRunAgain { state.task = nil }
      return state.mustRunAgain
    }
  }

  private func sweep(_ cache: TieredCache) async {
    var place: Int64? = .min
    while let start = place, !Task.isCancelled {
      // What a failing disk keeps is looked at again after the next purge, and evicted at last.
      guard let listing = try? await cache.listing(onDiskFrom: start) else { return }
      for entry in listing.entries where isPurged(entry.key, entry.record) {
        // The shared store may have it under the same key.
        guard (try? await cache.remove(entry.key, from: [.disk, .shared])) != nil else { continue }
        state.withLock { state in
          state.figures.entries += 1
          state.figures.bytes += entry.byteCount
        }
      }
      place = listing.next
    }
  }
}

extension ServiceSettings {
  /// True for an entry that was stored before its source was purged, so that nobody asks for it any more.
  ///
  /// Tags that only URLs name are in no entry, so what was purged by them waits for its eviction.
  func isPurged(_ key: CacheKey, _ record: CacheRecord?) -> Bool {
    guard let url = URL(string: key.original) else { return false }
    let stored = key.scope.parts.first { $0.name == PurgeMarks.scopeName }.flatMap { UInt64($0.value) } ?? 0
    if stored < values.purges.numbers(of: PurgeMarks.name(of: url), tags: []).own { return true }
    guard let tags = record.map({ SourceTags($0) }), !tags.names.isEmpty else { return false }
    return values.purges.hasPurged(tags.names, since: max(tags.newestPurge, stored))
  }
}
