import CGalleryWindow

/// Runs the jobs of actors on the thread of GTK's loop, the only thread that may touch widgets.
final class GTKExecutor: SerialExecutor {
  static let shared = GTKExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let work = Work(UnownedJob(job), on: asUnownedSerialExecutor())
    gallery_post({ Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().run() }, Unmanaged.passRetained(work).toOpaque())
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// A job that passes through the loop as a pointer.
  private final class Work {
    private let job: UnownedJob
    private let executor: UnownedSerialExecutor

    init(_ job: UnownedJob, on executor: UnownedSerialExecutor) {
      self.job = job
      self.executor = executor
    }

    func run() { job.runSynchronously(on: executor) }
  }
}
