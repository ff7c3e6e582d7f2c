import EaselCore
import EaselSupport

/// Runs each piece of asynchronous work on a thread of its own.
///
/// An asynchronous plug-in that blocks its thread, which it must not, then holds none of the pool, on which the suite
/// waits for it and names the broken rule.
final class SpareThreads: TaskExecutor {
  static let shared = SpareThreads()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    PlainThread.start { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
