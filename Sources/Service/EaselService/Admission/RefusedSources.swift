import EaselCore
import EaselSupport

/// The sources of work that was refused lately, with the time that reading them takes.
///
/// The cost of work is known once its source is there and its header was read, which takes a process of its own in a sandbox.
/// A server that refuses most requests would spend its time on that.
final class RefusedSources: Sendable {
  private let memory: Duration
  private let clock: any ImageClock
  private let costs: Locked<ExpiringTable<SlowImages.Name, WorkCost>>

  init(capacity: Int = 4096, memory: Duration = .seconds(60), clock: any ImageClock) {
    self.memory = memory
    self.clock = clock
    costs = Locked(ExpiringTable(capacity: max(1, capacity)))
  }

  /// The least cost of work on a source; nil if none was refused.
  func leastCost(of source: SlowImages.Name) -> WorkCost? {
    let now = clock.uptime
    return costs.withLock { $0.value(of: source, at: now) }
  }

  /// Notes the source of work that was refused.
  func note(_ error: ImageError, of source: SlowImages.Name) {
    guard let cost = (error.underlyingError as? AdmissionRefusal)?.reading else { return }
    let now = clock.uptime
    costs.withLock { $0.insert(cost, for: source, until: now + memory, at: now) }
  }
}
