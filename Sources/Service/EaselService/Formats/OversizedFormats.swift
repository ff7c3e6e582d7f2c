import EaselCore
import EaselSupport

/// The formats for which results are too large.
///
/// The size of a result is known only once it is made, so it is remembered: the next client gets another format at once.
final class OversizedFormats: Sendable {
  private let capacity: Int
  private let known = Locked<[CacheKey: Set<ImageFormat>]>([:])

  init(capacity: Int = 4096) { self.capacity = max(1, capacity) }

  /// True as long as every result has fitted; then nobody needs to make a key.
  var isEmpty: Bool { known.withLock { $0.isEmpty } }

  /// The formats for which the result of a request is too large.
  subscript(key: CacheKey) -> Set<ImageFormat> { known.withLock { $0[key] ?? [] } }

  /// Notes a format; returns false if it was noted before.
  func insert(_ format: ImageFormat, for key: CacheKey) -> Bool {
    known.withLock { known in
      // Those that are needed come again soon.
      if known[key] == nil, known.count >= capacity { known = [:] }
      return known[key, default: []].insert(format).inserted
    }
  }
}
