import EaselCore

/// Jobs that wait for a thread, ordered by priority and then by age.
///
/// Not thread-safe; ``WorkerSet`` guards it with a lock.
struct WorkQueue {
  /// A queued job, which can be moved or removed.
  final class Job: Sendable {
    let terms: JobTerms?
    /// Runs the work.
    ///
    /// With an error, it does not run the work, but reports that the work is late or will never run.
    let body: @Sendable (_ failure: ImageError?) -> Void
    // The queue's lock also guards the links and the priority.
    fileprivate let place = Place()

    /// The priority at which a thread took the job; nil until a thread takes it.
    ///
    /// Read it under the lock of the queue.
    var takenPriority: LoadPriority? { place.takenPriority }

    init(_ terms: JobTerms?, _ body: @escaping @Sendable (_ failure: ImageError?) -> Void) {
      self.terms = terms
      self.body = body
    }
  }

  /// Unchecked, because only the queue uses it, under one lock.
  fileprivate final class Place: @unchecked Sendable {
    var next: Job?
    var previous: Job?
    var priority: LoadPriority?
    var takenPriority: LoadPriority?
    /// The time at which the job fails if no thread is free; set only while all threads hang.
    var deadline: Duration?
    var turn: UInt64 = 0
  }

  private struct Line {
    var first: Job?
    var last: Job?
  }

  private var lines = [Line](repeating: Line(), count: LoadPriority.allCases.count)
  private(set) var count = 0
  private let order: LoadPriority.Order

  init(order: LoadPriority.Order) { self.order = order }

  /// Inserts a job by its turn.
  ///
  /// A job without a turn gets the next one.
  mutating func add(_ job: Job, at priority: LoadPriority, turn: UInt64? = nil) {
    let line = priority.rawValue
    let turn = turn ?? StartNumber.next()
    job.place.priority = priority
    job.place.turn = turn
    // Jobs arrive almost in order, so the loop usually ends at once.
    var previous = lines[line].last
    while let job = previous, job.place.turn > turn { previous = job.place.previous }
    let next = previous == nil ? lines[line].first : previous?.place.next
    job.place.previous = previous
    job.place.next = next
    if let previous { previous.place.next = job } else { lines[line].first = job }
    if let next { next.place.previous = job } else { lines[line].last = job }
    count += 1
  }

  /// Removes a job; returns false when the job is no longer in the queue.
  mutating func remove(_ job: Job) -> Bool {
    guard let priority = job.place.priority else { return false }
    let previous = job.place.previous
    let next = job.place.next
    if let previous { previous.place.next = next } else { lines[priority.rawValue].first = next }
    if let next { next.place.previous = previous } else { lines[priority.rawValue].last = previous }
    job.place.next = nil
    job.place.previous = nil
    job.place.priority = nil
    count -= 1
    return true
  }

  /// Moves a waiting job to the end of its new priority.
  ///
  /// A running job is not affected.
  mutating func move(_ job: Job, to priority: LoadPriority) {
    guard let now = job.place.priority, now != priority, remove(job) else { return }
    add(job, at: priority)
  }

  /// All waiting jobs.
  var jobs: [Job] {
    lines.flatMap { line in
      line.first.map { Array(sequence(first: $0, next: \.place.next)) } ?? []
    }
  }

  /// Sets the deadline of each job that does not have one.
  func setDeadlines(_ deadline: (Job) -> Duration) {
    for job in jobs where job.place.deadline == nil { job.place.deadline = deadline(job) }
  }

  /// Removes the deadlines of all jobs.
  func removeDeadlines() {
    for job in jobs { job.place.deadline = nil }
  }

  /// The earliest deadline.
  var nextDeadline: Duration? { jobs.compactMap(\.place.deadline).min() }

  /// Removes all jobs, and returns them.
  mutating func removeAll() -> [Job] {
    let jobs = jobs
    for job in jobs { _ = remove(job) }
    return jobs
  }

  /// Removes the jobs whose deadline has passed, and returns them.
  mutating func removeOverdue(at now: Duration) -> [Job] {
    let overdue = jobs.filter { $0.place.deadline.map { $0 <= now } ?? false }
    for job in overdue { _ = remove(job) }
    return overdue
  }

  /// Removes the next job; with a priority, only one that is more urgent.
  mutating func next(above priority: LoadPriority? = nil) -> Job? {
    let lowest = priority.map { $0.rawValue + 1 } ?? 0
    for line in (lowest..<lines.count).reversed() {
      guard let job = order == .firstInFirstOut ? lines[line].first : lines[line].last else { continue }
      return take(job)
    }
    return nil
  }

  private mutating func take(_ job: Job) -> Job {
    job.place.takenPriority = job.place.priority
    _ = remove(job)
    return job
  }
}

/// The time limit of a job, and the error for its caller when the limit passes.
package struct JobTerms: Sendable {
  /// The time limit; it counts only while a thread works on the job.
  package let time: WorkTime
  /// Makes the error for a job that exceeded its time.
  ///
  /// It is called once per such job, before the caller of the job gets its answer.
  package let failure: @Sendable () -> ImageError
  /// Called when the job exceeds its time, under a lock, before another thread replaces the one that hangs.
  package let noteLate: @Sendable () -> Void

  /// Creates the terms of a job.
  package init(_ time: WorkTime, failure: @escaping @Sendable () -> ImageError) {
    self.init(time, noteLate: {}, failure: failure)
  }

  package init(
    _ time: WorkTime, noteLate: @escaping @Sendable () -> Void, failure: @escaping @Sendable () -> ImageError
  ) {
    self.time = time
    self.noteLate = noteLate
    self.failure = failure
  }
}
