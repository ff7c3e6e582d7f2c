internal import CEaselGTK
import EaselSupport

/// Runs the jobs of an actor as work of GTK's loop, in the order in which they came.
final class GTKExecutor: SerialExecutor {
  static let shared = GTKExecutor()

  private struct State {
    var jobs: [UnownedJob] = []
    /// True while the loop knows that there are jobs.
    var isPosted = false
  }

  private let state = Locked(State())

  /// The time after which the loop gets to draw, however many jobs are left.
  private static let turnTime = Duration.milliseconds(4)

  func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    let mustPost = state.withLock { state in
      state.jobs.append(unowned)
      defer { state.isPosted = true }
      return !state.isPosted
    }
    guard mustPost else { return }
    if let reason = easel_gtk_load() { fatalError(String(cString: reason)) }
    easel_gtk_post({ _ in GTKExecutor.shared.takeTurn() }, nil)
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  func checkIsolated() { precondition(easel_gtk_is_on_thread(), "This is not the thread on which GTK runs.") }

  /// Runs jobs; true if some are left.
  private func takeTurn() -> Bool {
    let begun = Uptime.sinceStart
    let executor = asUnownedSerialExecutor()
    repeat {
      let jobs = state.withLock { state -> [UnownedJob] in
        if state.jobs.isEmpty { state.isPosted = false }
        defer { state.jobs = [] }
        return state.jobs
      }
      guard !jobs.isEmpty else { return false }
      for job in jobs { job.runSynchronously(on: executor) }
    } while Uptime.sinceStart - begun < Self.turnTime
    return true
  }
}
