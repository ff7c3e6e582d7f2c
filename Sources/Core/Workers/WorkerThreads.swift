/// The threads of a worker set and what they have to do.
///
/// Threads hold it and not the set, so that the set can end. A thread that does not come back from its job in time is
/// given up: its caller is answered, another thread takes its place, and it ends itself when it returns at last.
final class WorkerThreads: Sendable {
  /// How much longer than its time a job may take before its thread is given up, so that work which looks at the time
  /// ends by itself and says so in its own words.
  static let grace = Duration.seconds(1)
  /// How many threads may be given up at one time; what hangs after that keeps its place in the set.
  static let mostGivenUp = 16
  /// How long a job without terms waits while every thread hangs.
  private static let usualPatience = Duration.seconds(60)

  /// One thread.
  ///
  /// Unchecked because only the lock of the set's state touches it.
  private final class Worker: @unchecked Sendable {
    var job: WorkQueue.Job?
    /// When its job must have ended, nil while nobody minds.
    var deadline: Duration?
    /// Whether the caller of its job was answered without waiting for it.
    var isLate = false
    /// Whether another thread took its place.
    var isGivenUp = false
  }

  private struct State {
    var queue: WorkQueue
    var workers: [Worker] = []
    var idle = 0
    var givenUp = 0
    var isClosed = false
    /// When someone looks after the jobs that run, nil while nobody needs to.
    var alarm: Duration?
    var watch: Task<Void, Never>?

    /// Whether no thread is left that would come back.
    var isHeldUp: Bool { !workers.isEmpty && workers.allSatisfy(\.isLate) }
  }

  private let limit: Int
  private let clock: any ImageClock
  private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
  private let state: Locked<State>
  private let wakeUps = Semaphore()

  /// Creates the threads, none of which runs yet; `start` starts one, or says that the system does not allow it.
  init(
    atMost limit: Int, _ order: WorkOrder, clock: any ImageClock,
    start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
  ) {
    self.limit = limit
    self.clock = clock
    self.start = start
    state = Locked(State(queue: WorkQueue(order: order)))
  }

  /// The number of jobs that wait for a thread.
  var waitingCount: Int { state.withLock { $0.queue.count } }

  /// The number of threads that did not come back from their jobs in time and have not done so since.
  var lostCount: Int { state.withLock { $0.givenUp + $0.workers.count(where: \.isLate) } }

  // MARK: Jobs

  /// Puts a job in the queue.
  func add(_ job: WorkQueue.Job, at priority: LivePriority) {
    let (worker, isHeldUp) = state.withLock { state in
      state.queue.add(job, at: priority.value, turn: priority.turn)
      return (newWorker(&state), state.isHeldUp)
    }
    priority.onChange(for: job) { [weak self] job, value in
      self?.state.withLock { $0.queue.move(job, to: value) }
    }
    if let worker { run(worker) }
    wakeUps.signal()
    if isHeldUp { lookAfterJobs() }
  }

  /// Takes a job out of the queue; false when it is not there any more.
  func remove(_ job: WorkQueue.Job) -> Bool { state.withLock { $0.queue.remove(job) } }

  /// Lets every thread go when nothing is left to do.
  func close() {
    // Each wakes up once more to see that it may go.
    let (threads, watch) = state.withLock { state in
      state.isClosed = true
      return (state.workers.count, state.workers.contains { $0.deadline != nil } ? nil : state.watch)
    }
    watch?.cancel()
    for _ in 0..<threads { wakeUps.signal() }
  }

  // MARK: Threads

  /// A thread to start, where there is work for one more.
  private func newWorker(_ state: inout State) -> Worker? {
    guard state.idle < state.queue.count, state.workers.count < limit else { return nil }
    let worker = Worker()
    state.workers.append(worker)
    return worker
  }

  private func run(_ worker: Worker) {
    let isStarted = start {
      while self.runNext(on: worker) {}
    }
    guard !isStarted else { return }
    // The work waits for the threads that run already; with none that comes back it would wait for ever.
    let stranded = state.withLock { state -> [WorkQueue.Job] in
      state.workers.removeAll { $0 === worker }
      guard state.workers.allSatisfy(\.isLate) else { return [] }
      return state.queue.removeAll()
    }
    for job in stranded {
      job.body(
        .exhausted("The system does not allow another thread. End other work, or allow the process more threads."))
    }
  }

  /// Waits for a job and does it; false when the thread may go.
  private func runNext(on worker: Worker) -> Bool {
    guard rest(worker) else { return false }
    wakeUps.wait()
    let (job, isClosed) = state.withLock { state in
      state.idle -= 1
      worker.job = state.queue.next()
      return (worker.job, state.isClosed)
    }
    guard let job else { return !isClosed }
    guard let time = job.terms?.time else {
      job.body(nil)
      return true
    }
    watch(worker, until: clock.uptime + time.begin() + Self.grace)
    job.body(nil)
    time.pause()
    return true
  }

  /// Says that a thread has nothing to do; false when it was given up and another one works in its place.
  private func rest(_ worker: Worker) -> Bool {
    // The job is let go of outside the lock, with everything that it held.
    let (job, isWanted) = state.withLock { state -> (WorkQueue.Job?, Bool) in
      let job = worker.job
      worker.job = nil
      worker.deadline = nil
      if worker.isGivenUp {
        guard let other = state.workers.firstIndex(where: \.isLate) else {
          state.givenUp -= 1
          return (job, false)
        }
        // One that still hangs is given up instead.
        state.workers[other].isGivenUp = true
        state.workers[other] = worker
        worker.isGivenUp = false
      }
      if worker.isLate {
        worker.isLate = false
        state.queue.removeDeadlines()
      }
      state.idle += 1
      return (job, true)
    }
    withExtendedLifetime(job) {}
    return isWanted
  }

  // MARK: The watch

  private func watch(_ worker: Worker, until deadline: Duration) {
    let isFirst = state.withLock { state in
      worker.deadline = deadline
      if let alarm = state.alarm, alarm <= deadline { return false }
      state.alarm = deadline
      return true
    }
    if isFirst { setAlarm(at: deadline) }
  }

  /// Has the jobs looked after at some time, in place of a later one.
  ///
  /// Jobs that end in time leave the alarm as it is, so that it is set once in a while and not for each job.
  private func setAlarm(at time: Duration) {
    let watch = Task.detached(priority: .high) { [self] in
      guard (try? await clock.sleep(for: time - clock.uptime)) != nil else { return }
      lookAfterJobs()
    }
    let outdated = state.withLock { state in
      guard state.alarm == time else { return Optional(watch) }
      defer { state.watch = watch }
      return state.watch
    }
    outdated?.cancel()
  }

  /// Answers the callers of jobs that hang, gives up the threads that do them, and has others take their places.
  private func lookAfterJobs() {
    let now = clock.uptime
    let (late, stranded, workers, alarm) = state.withLock { state in
      let late = giveUpLateWorkers(&state, now)
      var workers: [Worker] = []
      while state.workers.count < limit, state.idle + workers.count < state.queue.count,
        let worker = newWorker(&state)
      {
        workers.append(worker)
      }
      var stranded: [WorkQueue.Job] = []
      if state.isHeldUp {
        state.queue.setDeadlines { now + ($0.terms.map { $0.time.budget + Self.grace } ?? Self.usualPatience) }
        stranded = state.queue.removeOverdue(at: now)
      }
      let deadlines = state.workers.compactMap { $0.isLate ? nil : $0.deadline }
      state.alarm = [deadlines.min(), state.queue.nextDeadline].compactMap { $0 }.min()
      return (late, stranded, workers, state.alarm)
    }
    for worker in workers { run(worker) }
    if let alarm { setAlarm(at: alarm) }
    for job in late { if let terms = job.terms { job.body(terms.failure()) } }
    for job in stranded { job.body(Self.heldUp(by: lostCount)) }
  }

  private func giveUpLateWorkers(_ state: inout State, _ now: Duration) -> [WorkQueue.Job] {
    var late: [WorkQueue.Job] = []
    for worker in state.workers where !worker.isLate {
      guard let job = worker.job, let deadline = worker.deadline, deadline <= now else { continue }
      worker.isLate = true
      late.append(job)
      guard state.givenUp < Self.mostGivenUp else { continue }
      worker.isGivenUp = true
      state.givenUp += 1
    }
    state.workers.removeAll(where: \.isGivenUp)
    return late
  }

  private static func heldUp(by count: Int) -> ImageError {
    .exhausted(
      "No thread came free: \(count) are held by calls of plug-ins that do not return. Find the plug-in that hangs: "
        + "each such call was reported to the observer of its load.")
  }
}
