import EaselCore
import EaselService
import EaselSupport

/// Looks at the memory of a server from time to time, on a thread of its own, and does what the rules say.
final class MemoryWatch: Sendable {
  /// The things that it looks at, and those that it can do.
  struct Means: Sendable {
    var use: @Sendable () -> ControlGroupMemory.Use?
    var activity: @Sendable () -> Int
    var act: @Sendable (MemoryRules.Action) -> Void
  }

  private let means: Means
  private let clock: any ImageClock
  /// The time between two looks.
  private let pause: Duration
  private let rules = Locked(MemoryRules())
  private let isStopped = Locked(false)

  /// Near a limit, a tenth of a second can be many pictures; without one, only idleness matters.
  convenience init(_ memory: ServeMemory, clock: any ImageClock = SystemClock()) {
    self.init(
      Means(
        use: { memory.use }, activity: { memory.work.activity },
        act: { action in
          switch action {
          case .giveBack: memory.giveBack()
          case .shrinkCache(let share): memory.store.shrink(to: share)
          case .press(let pressure): memory.work.pressure = pressure
          }
        }), pause: memory.limit == nil ? .seconds(1) : .milliseconds(250), clock: clock)
  }

  init(_ means: Means, pause: Duration, clock: any ImageClock) {
    (self.means, self.pause, self.clock) = (means, pause, clock)
  }

  deinit { stop() }

  /// Starts the thread; it ends after ``stop()``.
  func start() {
    PlainThread.start { [weak self, clock, pause] in
      repeat {
        clock.block(for: pause)
      } while self?.look() == true
    }
  }

  func stop() { isStopped.withLock { $0 = true } }

  /// Looks once; returns false when the watch has stopped.
  @discardableResult
  func look() -> Bool {
    guard !isStopped.withLock({ $0 }) else { return false }
    let (use, activity, now) = (means.use(), means.activity(), clock.uptime)
    for action in rules.withLock({ $0.actions(use, activity: activity, at: now) }) { means.act(action) }
    return true
  }
}
