/// How long a job may take, and what its caller is told when it does not end.
package struct JobTerms: Sendable {
  /// The time that is counted while a thread is at the job.
  package let time: WorkTime
  /// Makes the error for a job that did not end in its time; it is called once for each such job, before the caller is
  /// answered.
  package let failure: @Sendable () -> ImageError

  /// Creates the terms of a job.
  package init(_ time: WorkTime, failure: @escaping @Sendable () -> ImageError) {
    self.time = time
    self.failure = failure
  }
}
