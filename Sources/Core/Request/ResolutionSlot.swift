import Synchronization

/// Where a request keeps what it was resolved to, shared by its copies until one of them is changed.
///
/// `AtomicLazyReference` would do the same, but asks for its metadata at every load, which takes longer than a lookup
/// in a memory cache.
final class ResolutionSlot: Sendable {
  // Filled once at most and never emptied: what it points to lives as long as the slot.
  private let content = Atomic<Unmanaged<ResolvedRequest>?>(nil)

  deinit { content.load(ordering: .acquiring)?.release() }

  func load() -> ResolvedRequest? { content.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Keeps `fresh` where nothing is kept yet, and returns what is kept.
  func fill(_ fresh: ResolvedRequest) -> ResolvedRequest {
    let mine = Unmanaged.passRetained(fresh)
    let (isMine, found) = content.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    guard !isMine, let found else { return fresh }
    mine.release()
    return found.takeUnretainedValue()
  }
}
