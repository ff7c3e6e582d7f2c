import EaselCore
import EaselSupport

/// The threads of a worker set and their queue.
///
/// Threads keep this object alive and not the set, so that the set can be released. If the job of a thread exceeds its
/// time, the thread is given up: the caller gets an error, and another thread takes its place. The old thread ends when
/// its job returns.
final class WorkerThreads: Sendable {
  /// The extra time before a thread is given up, so that a job that watches its time can fail with its own error.
  static let grace = Duration.seconds(1)
  /// The most threads that are given up at the same time.
  ///
  /// If more threads hang, they keep their places in the set.
  static let mostGivenUp = 16
  /// The time that a job without its own terms waits if every thread hangs.
  private static let usualPatience = Duration.seconds(60)

  /// The state of one thread.
  ///
  /// Unchecked, because it is used only under the lock of the set's state.
  private final class Worker: @unchecked Sendable {
    var job: WorkQueue.Job?
    /// The time by which the thread's job must end; nil for no limit.
    var deadline: Duration?
    /// True when the caller of the thread's job got its answer before the job ended.
    var isLate = false
    /// True when another thread took this thread's place.
    var isGivenUp = false
    /// True for the extra thread beyond the limit, which ends when no job is urgent.
    var isExtra = false
  }

  private struct State {
    var queue: WorkQueue
    var workers: [Worker] = []
    var idle = 0
    var givenUp = 0
    var isClosed = false
    /// The time of the next check of the running jobs; nil when no check is needed.
    var alarm: Duration?
    var watch: Task<Void, Never>?

    /// True when the jobs of all threads are overdue.
    var isHeldUp: Bool { !workers.isEmpty && workers.allSatisfy(\.isLate) }

    /// Takes the next job for the extra thread, if the job is urgent, and more urgent than all running jobs.
    ///
    /// Otherwise the job might wait for a very large picture that is less urgent.
    mutating func takeUrgentJob(limit: Int) -> WorkQueue.Job? {
      guard workers.count == limit else { return nil }
      var highest = LoadPriority.normal
      for worker in workers {
        // A thread without a job is about to take one.
        guard !worker.isExtra, let priority = worker.job?.takenPriority else { return nil }
        highest = max(highest, priority)
      }
      return queue.next(above: highest)
    }
  }

  private let limit: Int
  private let hasExtraThread: Bool
  private let clock: any ImageClock
  private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
  private let state: Locked<State>
  private let wakeUps = Semaphore()

  /// Creates the object without starting a thread.
  ///
  /// `start` starts a thread, or returns false when the system does not allow another thread.
  init(
    atMost limit: Int, extraThread hasExtraThread: Bool, _ order: LoadPriority.Order, clock: any ImageClock,
    start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
  ) {
    self.limit = limit
    self.hasExtraThread = hasExtraThread
    self.clock = clock
    self.start = start
    state = Locked(State(queue: WorkQueue(order: order)))
  }

  /// The number of jobs that wait for a thread.
  var waitingCount: Int { state.withLock { $0.queue.count } }

  /// The number of threads whose job is overdue and has not yet returned.
  var lostCount: Int { state.withLock { $0.givenUp + $0.workers.count(where: \.isLate) } }

  // MARK: Jobs

  /// Adds a job to the queue.
  func add(_ job: WorkQueue.Job, at priority: LoadPriority.Live) {
    let (worker, extra, isHeldUp) = state.withLock { state in
      state.queue.add(job, at: priority.value, turn: priority.turn)
      let worker = newWorker(&state)
      return (worker, worker == nil ? extraWorker(&state) : nil, state.isHeldUp)
    }
    priority.onChange(for: job) { [weak self] job, value in self?.move(job, to: value) }
    if let worker { run(worker) }
    if let extra { runUrgentJobs(on: extra) }
    wakeUps.signal()
    if isHeldUp { lookAfterJobs() }
  }

  private func move(_ job: WorkQueue.Job, to priority: LoadPriority) {
    let extra = state.withLock { state in
      state.queue.move(job, to: priority)
      return extraWorker(&state)
    }
    if let extra { runUrgentJobs(on: extra) }
  }

  /// Removes a job from the queue; returns false when the job is no longer there.
  func remove(_ job: WorkQueue.Job) -> Bool { state.withLock { $0.queue.remove(job) } }

  /// Lets all threads end when no job is left.
  func close() {
    // Each thread wakes up once more, and finds out that it may end.
    let (threads, watch) = state.withLock { state in
      state.isClosed = true
      return (state.workers.count, state.workers.contains { $0.deadline != nil } ? nil : state.watch)
    }
    watch?.cancel()
    for _ in 0..<threads { wakeUps.signal() }
  }

  // MARK: Threads

  /// Returns a thread to start if there is work for one more; otherwise nil.
  private func newWorker(_ state: inout State) -> Worker? {
    guard state.idle < state.queue.count, state.workers.count < limit else { return nil }
    let worker = Worker()
    state.workers.append(worker)
    return worker
  }

  /// Returns the extra thread to start if there is an urgent job for it; otherwise nil.
  private func extraWorker(_ state: inout State) -> Worker? {
    guard hasExtraThread, let job = state.takeUrgentJob(limit: limit) else { return nil }
    let worker = Worker()
    worker.isExtra = true
    worker.job = job
    state.workers.append(worker)
    return worker
  }

  /// Runs urgent jobs on the extra thread, which ends when no job is urgent enough.
  private func runUrgentJobs(on extra: Worker) {
    let isStarted = start {
      var job = self.state.withLock { _ in extra.job }
      while let next = job {
        self.perform(next, on: extra)
        job = self.nextUrgentJob(after: next, on: extra)
      }
    }
    guard !isStarted else { return }
    // The job goes back to the queue.
    state.withLock { state in
      state.workers.removeAll { $0 === extra }
      if let job = extra.job { state.queue.add(job, at: job.takenPriority ?? .normal) }
    }
    wakeUps.signal()
  }

  /// Takes the next job of the extra thread; returns nil if the thread may end.
  private func nextUrgentJob(after job: WorkQueue.Job, on extra: Worker) -> WorkQueue.Job? {
    let (next, worker) = state.withLock { state -> (WorkQueue.Job?, Worker?) in
      extra.job = nil
      extra.deadline = nil
      state.workers.removeAll { $0 === extra }
      if extra.isGivenUp { state.givenUp -= 1 }
      if extra.isLate { state.queue.removeDeadlines() }
      // A thread may have been given up, but not yet replaced because the extra thread counted.
      if let worker = newWorker(&state) { return (nil, worker) }
      guard !extra.isLate, let next = state.takeUrgentJob(limit: limit) else { return (nil, nil) }
      extra.job = next
      state.workers.append(extra)
      return (next, nil)
    }
    if let worker { run(worker) }
    return next
  }

  private func run(_ worker: Worker) {
    let isStarted = start {
      while self.runNext(on: worker) {}
    }
    guard !isStarted else { return }
    // The jobs wait for the running threads. If all of these hang, the jobs would wait for ever.
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

  /// Waits for a job and runs it; returns false when the thread may end.
  private func runNext(on worker: Worker) -> Bool {
    guard rest(worker) else { return false }
    wakeUps.wait()
    let (job, isClosed) = state.withLock { state in
      state.idle -= 1
      worker.job = state.queue.next()
      return (worker.job, state.isClosed)
    }
    guard let job else { return !isClosed }
    perform(job, on: worker)
    return true
  }

  private func perform(_ job: WorkQueue.Job, on worker: Worker) {
    guard let time = job.terms?.time else { return job.body(nil) }
    watch(worker, until: clock.uptime + time.begin() + Self.grace)
    job.body(nil)
    time.pause()
  }

  /// Marks a thread as idle; returns false when the thread was given up and replaced.
  private func rest(_ worker: Worker) -> Bool {
    // The job, with everything that it holds, is released outside the lock.
    let (job, isWanted) = state.withLock { state -> (WorkQueue.Job?, Bool) in
      let job = worker.job
      worker.job = nil
      worker.deadline = nil
      if worker.isGivenUp {
        guard let other = state.workers.firstIndex(where: { $0.isLate && !$0.isExtra }) else {
          state.givenUp -= 1
          return (job, false)
        }
        // Another thread, which still hangs, is given up instead, and this thread takes its place.
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

  /// Schedules a check of the jobs; it replaces a check that is due later.
  ///
  /// If jobs end in time, the alarm does not change. It is therefore set only from time to time, not for each job.
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

  /// Answers the callers of jobs that hang, gives up their threads, and starts others in their place.
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
      // The job may have got back some of its time.
      if let left = job.terms?.time.left, left + Self.grace > .zero {
        worker.deadline = now + left + Self.grace
        continue
      }
      worker.isLate = true
      job.terms?.noteLate()
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
      "No thread became free: \(count) are held by calls of plug-ins that do not return. Find the plug-in that hangs: "
        + "each such call was reported to the observer of its load.")
  }
}
