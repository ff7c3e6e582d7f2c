import EaselCore
import EaselSupport

/// Remembers for a limited time which URLs failed permanently.
final class FailedURLs: Sendable {
  private let lifetime: Duration
  private let clock: any ImageClock
  private let entries: Locked<ExpiringTable<CacheKey, Entry>>

  private struct Entry {
    let failure: ImageError
    /// True if the load would have shown a part of a damaged picture.
    let wantedParts: Bool
  }

  init(lifetime: Duration, capacity: Int, clock: any ImageClock) {
    self.lifetime = lifetime.bounded
    self.clock = clock
    entries = Locked(ExpiringTable(capacity: capacity))
  }

  /// The failure for which a URL is not tried; nil if it may be tried.
  ///
  /// A load that wants parts may show what another refused as damaged.
  func failure(of key: CacheKey, wantingParts wantsParts: Bool = false) -> ImageError? {
    let now = clock.uptime
    guard let entry = entries.withLock({ $0.value(of: key, at: now) }) else { return nil }
    return wantsParts && !entry.wantedParts && entry.failure.code == .badImageData ? nil : entry.failure
  }

  func insert(_ key: CacheKey, _ failure: ImageError, wantedParts: Bool = false) {
    let now = clock.uptime
    let entry = Entry(failure: failure, wantedParts: wantedParts)
    entries.withLock { $0.insert(entry, for: key, until: now + lifetime, at: now) }
  }

  func remove(_ key: CacheKey) {
    entries.withLock { $0.remove(key) }
  }

  func removeAll() {
    entries.withLock { $0.removeAll() }
  }
}
