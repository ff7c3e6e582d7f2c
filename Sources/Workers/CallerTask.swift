import EaselCore
import EaselSupport

/// A task that runs one body on a thread of the library, with the task-locals of the task that created it.
///
/// Plug-ins on worker threads thus see the task-locals of their caller. The task never runs on the cooperative pool: it
/// waits in its executor, which is this object, until the thread that takes the work runs it. It must be run or dropped
/// once; otherwise it stays in memory forever.
final class CallerTask: TaskExecutor {
  private struct State {
    var job: UnownedJob?
    var body: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// Copies the task-locals of the current task; outside a task there are none.
  init() {
    // The job of the task reaches `enqueue` before this returns.
    Task(executorPreference: self, priority: .medium) {
      if let body = self.takeBody() { body() }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.job = job }
  }

  /// Runs a body on this thread; only the first call does.
  func run(_ body: @escaping @Sendable () -> Void) {
    let job = state.withLock { state in
      if state.job != nil { state.body = body }
      return state.job.take()
    }
    job?.runSynchronously(on: asUnownedTaskExecutor())
  }

  /// Ends the task without a body, unless it has run.
  func drop() { run {} }

  private func takeBody() -> (@Sendable () -> Void)? { state.withLock { $0.body.take() } }
}

/// Passes the task-locals of the creating task to bodies that run one after another on any threads.
package final class CallerTaskLocals: Sendable {
  private let next = Locked<CallerTask?>(CallerTask())

  /// Keeps the task-locals of the current task.
  package init() {}

  deinit { next.withLock { $0.take() }?.drop() }

  /// Runs a body on this thread with the task-locals; call it only after the previous body has begun.
  package func run(_ body: @escaping @Sendable () -> Void) {
    guard let task = next.withLock({ $0.take() }) else { return body() }
    task.run {
      // Created inside the task, so that the next body has the same task-locals.
      let following = CallerTask()
      self.next.withLock { $0 = following }
      body()
    }
  }
}
