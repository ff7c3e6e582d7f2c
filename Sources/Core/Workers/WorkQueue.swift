/// Jobs that wait for a thread: the most urgent first, and within a priority by age.
///
/// Not safe for more than one thread: ``WorkerSet`` keeps it in its lock.
struct WorkQueue {
  /// A job in the queue, which can change its place or leave.
  final class Job: Sendable {
    let terms: JobTerms?
    /// Does the work; given an error, it tells the caller that nobody waits for the work any more, or ever does it.
    let body: @Sendable (_ failure: ImageError?) -> Void
    // Links and priority belong to the queue's lock, like the queue itself.
    fileprivate let place = Place()

    init(_ terms: JobTerms?, _ body: @escaping @Sendable (_ failure: ImageError?) -> Void) {
      self.terms = terms
      self.body = body
    }
  }

  /// Unchecked because it is touched only by the queue, which lives in one lock.
  fileprivate final class Place: @unchecked Sendable {
    var next: Job?
    var previous: Job?
    var priority: LoadPriority?
    /// When it is to fail if no thread comes free, set only while all are held up.
    var deadline: Duration?
    var turn: UInt64 = 0
  }

  private struct Line {
    var first: Job?
    var last: Job?
  }

  private var lines = [Line](repeating: Line(), count: LoadPriority.allCases.count)
  private(set) var count = 0
  private let order: WorkOrder

  init(order: WorkOrder) { self.order = order }

  /// Adds a job where its turn is; one that has none yet takes the next.
  mutating func add(_ job: Job, at priority: LoadPriority, turn: UInt64? = nil) {
    let line = priority.rawValue
    let turn = turn ?? Turn.next()
    job.place.priority = priority
    job.place.turn = turn
    // Jobs come nearly in order, so the place is mostly found at once.
    var previous = lines[line].last
    while let job = previous, job.place.turn > turn { previous = job.place.previous }
    let next = previous == nil ? lines[line].first : previous?.place.next
    job.place.previous = previous
    job.place.next = next
    if let previous { previous.place.next = job } else { lines[line].first = job }
    if let next { next.place.previous = job } else { lines[line].last = job }
    count += 1
  }

  /// Takes a job out; false when it is not in the queue any more.
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

  /// Moves a waiting job behind those of its new priority; a job that runs already stays as it is.
  mutating func move(_ job: Job, to priority: LoadPriority) {
    guard let now = job.place.priority, now != priority, remove(job) else { return }
    add(job, at: priority)
  }

  /// Every job that waits.
  var jobs: [Job] {
    lines.flatMap { line in
      line.first.map { Array(sequence(first: $0, next: \.place.next)) } ?? []
    }
  }

  /// Says when each job that has no deadline yet fails if it still waits.
  func setDeadlines(_ deadline: (Job) -> Duration) {
    for job in jobs where job.place.deadline == nil { job.place.deadline = deadline(job) }
  }

  /// Lets every job wait as long as it takes.
  func removeDeadlines() {
    for job in jobs { job.place.deadline = nil }
  }

  /// The first of all deadlines.
  var nextDeadline: Duration? { jobs.compactMap(\.place.deadline).min() }

  /// Takes out every job.
  mutating func removeAll() -> [Job] {
    let jobs = jobs
    for job in jobs { _ = remove(job) }
    return jobs
  }

  /// Takes out the jobs whose deadline is over.
  mutating func removeOverdue(at now: Duration) -> [Job] {
    let overdue = jobs.filter { $0.place.deadline.map { $0 <= now } ?? false }
    for job in overdue { _ = remove(job) }
    return overdue
  }

  mutating func next() -> Job? {
    for line in lines.reversed() {
      guard let job = order == .firstInFirstOut ? line.first : line.last else { continue }
      _ = remove(job)
      return job
    }
    return nil
  }
}
