import Easel
import Synchronization

// Documentation: writing an observer.
final class HitRate: ImageObserver {
  private let counts = Mutex((hits: 0, misses: 0))

  var share: Double {
    counts.withLock { Double($0.hits) / Double(max(1, $0.hits + $0.misses)) }
  }

  func observe(_ event: ImageEvent) {
    switch event.kind {
    case .cacheHit: counts.withLock { $0.hits += 1 }
    case .cacheMiss: counts.withLock { $0.misses += 1 }
    default: break
    }
  }
}
