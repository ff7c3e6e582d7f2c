import EaselCore

/// Runs a task on the thread that starts it, up to the first place where it suspends, and on the pool from there on.
///
/// A test that starts tasks with it knows that each has queued its work before the next one starts. Only the start is
/// immediate, since what wakes a task, its cancellation for one, must not find itself running the task.
package final class ImmediateExecutor: TaskExecutor {
  private let hasStarted = Locked(false)

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let isStart = hasStarted.withLock { hasStarted in
      defer { hasStarted = true }
      return !hasStarted
    }
    if isStart { job.runSynchronously(on: asUnownedTaskExecutor()) } else { globalConcurrentExecutor.enqueue(job) }
  }
}

extension Task where Failure == any Error {
  /// Starts a task that has run up to its first suspension when this returns.
  package static func started(_ body: @escaping @Sendable () async throws -> Success) -> Task {
    Task(executorPreference: ImmediateExecutor()) { try await body() }
  }
}
