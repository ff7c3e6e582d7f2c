/// The time limit of a job, and the error for its caller when the limit passes.
package struct JobTerms: Sendable {
  /// The time limit; it counts only while a thread works on the job.
  package let time: WorkTime
  /// Makes the error for a job that exceeded its time.
  ///
  /// Called once per such job, before its caller is answered.
  package let failure: @Sendable () -> ImageError

  /// Creates the terms of a job.
  package init(_ time: WorkTime, failure: @escaping @Sendable () -> ImageError) {
    self.time = time
    self.failure = failure
  }
}
