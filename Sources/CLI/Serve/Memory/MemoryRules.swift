import EaselCore
import EaselService
import EaselSupport

/// The rules by which a server gives memory back, without clocks and threads of their own.
///
/// An idle server gives back what it keeps for reuse. A server that comes near its limit first gives back what nobody
/// uses, then shrinks its cache, then the work that runs at a time, and at last refuses requests that need work.
struct MemoryRules {
  /// A step that gives memory back or asks for less of it.
  enum Action: Hashable {
    /// Give buffers and free blocks of the heap back to the system.
    case giveBack
    /// Keep this share of the cache.
    case shrinkCache(Double)
    case press(MemoryPressure)
  }

  /// The time without requests after which a server is idle.
  static let idleTime = Duration.seconds(5)
  /// The shares of the limit at which memory is short, and at which there is none left.
  static let (tight, full) = (0.85, 0.95)
  /// The share below which memory is short no more.
  static let relieved = 0.75
  /// The number of readings after which the cache shrinks again.
  static let pause = 8

  private var pressure = MemoryPressure.none
  /// The readings in a row that were too high.
  private var highReadings = 0
  private var activity: (number: Int, since: Duration)?
  private var hasGivenBack = false

  /// The actions after a reading at this time; `use` is nil without a limit.
  mutating func actions(_ use: ControlGroupMemory.Use?, activity: Int, at now: Duration) -> [Action] {
    var actions = use.map { relieve($0) } ?? []
    if isNewlyIdle(activity, at: now), !actions.contains(.giveBack) { actions.append(.giveBack) }
    return actions
  }

  private mutating func relieve(_ use: ControlGroupMemory.Use) -> [Action] {
    let share = Double(use.usedBytes) / Double(max(1, use.limitBytes))
    let before = pressure
    guard share >= Self.tight else {
      if share < Self.relieved { (pressure, highReadings) = (.none, 0) } else { pressure = min(pressure, .tight) }
      return pressure == before ? [] : [.press(pressure)]
    }
    defer { highReadings += 1 }
    var actions: [Action] = []
    if share >= Self.full {
      pressure = .full
      if before != .full || highReadings % Self.pause == 0 { actions = [.shrinkCache(0.5), .giveBack] }
    } else {
      switch highReadings {
      case 0: actions = [.giveBack]
      case 1: actions = [.shrinkCache(0.75), .giveBack]
      default:
        pressure = .tight
        if highReadings % Self.pause == 0 { actions = [.shrinkCache(0.75), .giveBack] }
      }
    }
    if pressure != before { actions.append(.press(pressure)) }
    return actions
  }

  /// True at the first reading after which the server has been idle for long enough.
  private mutating func isNewlyIdle(_ number: Int, at now: Duration) -> Bool {
    guard let last = activity, last.number == number else {
      activity = (number, now)
      hasGivenBack = false
      return false
    }
    guard !hasGivenBack, now - last.since >= Self.idleTime else { return false }
    hasGivenBack = true
    return true
  }
}
