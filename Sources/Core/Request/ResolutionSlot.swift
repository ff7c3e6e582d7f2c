import Synchronization

/// Keeps the resolved form of a request.
///
/// Copies of the request share it until one of them is changed.
///
/// `AtomicLazyReference` would do the same, but requests its metadata at every load, which takes longer than a lookup
/// in a memory cache.
final class ResolutionSlot: Sendable {
  // Filled at most once and never emptied, so the object lives as long as the slot.
  private let content = Atomic<Unmanaged<ResolvedRequest>?>(nil)

  deinit { content.load(ordering: .acquiring)?.release() }

  func load() -> ResolvedRequest? { content.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Keeps `fresh` if the slot is empty, and returns the kept object.
  func fill(_ fresh: ResolvedRequest) -> ResolvedRequest {
    let mine = Unmanaged.passRetained(fresh)
    let (isMine, found) = content.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    guard !isMine, let found else { return fresh }
    mine.release()
    return found.takeUnretainedValue()
  }
}
