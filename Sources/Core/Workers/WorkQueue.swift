/// Jobs that wait for a thread: the most urgent first, and within a priority by age.
///
/// Not safe for more than one thread: ``WorkerSet`` keeps it in its lock.
struct WorkQueue {
  /// A job in the queue, which can change its place or leave.
  final class Job: Sendable {
    let body: @Sendable () -> Void
    // Links and priority belong to the queue's lock, like the queue itself.
    fileprivate let place = Place()

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Unchecked because it is touched only by the queue, which lives in one lock.
  fileprivate final class Place: @unchecked Sendable {
    var next: Job?
    var previous: Job?
    var priority: LoadPriority?
  }

  private struct Line {
    var first: Job?
    var last: Job?
  }

  private var lines = [Line](repeating: Line(), count: LoadPriority.allCases.count)
  private(set) var count = 0
  private let order: WorkOrder

  init(order: WorkOrder) { self.order = order }

  mutating func add(_ job: Job, at priority: LoadPriority) {
    let line = priority.rawValue
    job.place.priority = priority
    job.place.previous = lines[line].last
    lines[line].last?.place.next = job
    lines[line].last = job
    if lines[line].first == nil { lines[line].first = job }
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

  mutating func next() -> Job? {
    for line in lines.reversed() {
      guard let job = order == .firstInFirstOut ? line.first : line.last else { continue }
      _ = remove(job)
      return job
    }
    return nil
  }
}
