import EaselCore
import EaselSupport

/// A task that runs one body on a thread of our own, with the task-locals of the task in which it was made.
///
/// Plug-ins on worker threads see the task-locals of their caller that way. The task never runs on the pool: it waits
/// in its executor, which is this object, until the thread that takes the work runs it. It must be run or dropped once,
/// and otherwise never goes away.
final class CallerTask: TaskExecutor {
  private struct State {
    var job: UnownedJob?
    var body: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// Copies the task-locals of the current task; without one there are none.
  init() {
    // It comes to `enqueue` before this returns.
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

  /// Ends the task without a body, if it was not run.
  func drop() { run {} }

  private func takeBody() -> (@Sendable () -> Void)? { state.withLock { $0.body.take() } }
}

/// Hands the task-locals of the task in which it was made on to bodies that run one after another on any threads.
package final class CallerTaskLocals: Sendable {
  private let next = Locked<CallerTask?>(CallerTask())

  /// Keeps the task-locals of the current task.
  package init() {}

  deinit { next.withLock { $0.take() }?.drop() }

  /// Runs a body on this thread with the task-locals; the body before has begun already.
  package func run(_ body: @escaping @Sendable () -> Void) {
    guard let task = next.withLock({ $0.take() }) else { return body() }
    task.run {
      // Made in the task, so that the next body has the same task-locals.
      let following = CallerTask()
      self.next.withLock { $0 = following }
      body()
    }
  }
}
