import EaselCore
import EaselSupport

/// Runs a task on the thread that starts it up to its first suspension, and on the pool after that.
///
/// A test that starts tasks with it knows that each has queued its work before the next one starts. Only the start is
/// immediate: code that resumes a task, such as its cancellation, must not run the task itself.
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
  /// Starts a task; it has run up to its first suspension when this returns.
  package static func started(_ body: @escaping @Sendable () async throws -> Success) -> Task {
    Task(executorPreference: ImmediateExecutor()) { try await body() }
  }
}
