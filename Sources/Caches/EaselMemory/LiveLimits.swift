import EaselCore
import Synchronization

/// A configuration that may change while others read it: as a whole under a lock, or value by value without one.
final class LiveLimits: Sendable {
  private let whole: Locked<LRUMemoryStore.Configuration>
  private let liveCost = Atomic(0)
  private let liveCount = Atomic(0)
  private let liveLargestCost = Atomic(0)
  private let liveTimeToLive = Atomic(Int64.max)
  private let liveFindsShownImages = Atomic(false)
  private let liveShrinksUnderPressure = Atomic(false)

  init(_ configuration: LRUMemoryStore.Configuration) {
    whole = Locked(configuration)
    self.configuration = configuration
  }

  var configuration: LRUMemoryStore.Configuration {
    get { whole.withLock { $0 } }
    set {
      whole.withLock { whole in
        whole = newValue
        liveCost.store(newValue.costLimit, ordering: .relaxed)
        liveCount.store(newValue.countLimit ?? .max, ordering: .relaxed)
        liveLargestCost.store(newValue.largestCost, ordering: .relaxed)
        liveTimeToLive.store(newValue.timeToLive?.bounded.inNanoseconds ?? .max, ordering: .relaxed)
        liveFindsShownImages.store(newValue.findsShownImages, ordering: .relaxed)
        liveShrinksUnderPressure.store(newValue.shrinksUnderPressure, ordering: .relaxed)
      }
    }
  }

  var cost: Int { liveCost.load(ordering: .relaxed) }
  var count: Int { liveCount.load(ordering: .relaxed) }
  var largestCost: Int { liveLargestCost.load(ordering: .relaxed) }
  /// In nanoseconds; `.max` when entries do not expire.
  var timeToLive: Int64 { liveTimeToLive.load(ordering: .relaxed) }
  var findsShownImages: Bool { liveFindsShownImages.load(ordering: .relaxed) }
  var shrinksUnderPressure: Bool { liveShrinksUnderPressure.load(ordering: .relaxed) }
}

extension Duration {
  /// The duration in nanoseconds, capped at the largest number for durations of centuries.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowsAgain) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows || overflowsAgain ? (seconds < 0 ? .min : .max) : sum
  }
}
