import EaselCore

/// Decides when work on pixels begins, so that the server does no more at a time than it has processors for.
///
/// Work is admitted by its estimated cost. Cheap work has places of its own, and AVIF encoding a limit of its own. While
/// waiters are served soon, the first to come is the first served. When the oldest has waited for long, the newest is
/// served first, because the clients of the oldest are gone or about to go. Work that cannot be done by its deadline is
/// refused as soon as that is known. Waiting holds no thread.
package final class Admission: Sendable {
  private struct State {
    var queue: AdmissionQueue
    /// The time of the next check of the deadlines; nil when none is needed.
    var alarm: Duration?
    var watch: Task<Void, Never>?
  }

  private let clock: any ImageClock
  private let state: Locked<State>

  package init(_ settings: AdmissionSettings = AdmissionSettings(), clock: any ImageClock = SystemClock()) {
    self.clock = clock
    state = Locked(State(queue: AdmissionQueue(settings)))
  }

  deinit { state.withLock { $0.watch }?.cancel() }

  /// Waits until the work may begin.
  ///
  /// `deadline` is the uptime of the clock by which the work must be finished. Throws ``AdmissionRefusal``, or
  /// `CancellationError` as soon as the task is cancelled.
  package func enter(_ cost: WorkCost, deadline: Duration? = nil) async throws -> AdmissionPass {
    try Task.checkCancellation()
    let waiter = AdmissionWaiter(cost, deadline: deadline)
    if !change({ $0.arrive(waiter, at: $1) }, isOver: waiter) {
      await withTaskCancellationHandler {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
          let isDecided = state.withLock { _ in
            guard waiter.outcome == nil else { return true }
            waiter.continuation = continuation
            return false
          }
          if isDecided { continuation.resume() }
        }
      } onCancel: {
        change { queue, _ in queue.withdraw(waiter) }
      }
    }
    // Read under the lock, because ThreadSanitizer does not see a value passed through the continuation.
    switch state.withLock({ _ in waiter.outcome }) {
    case .admitted(let place): return AdmissionPass(place, of: self)
    case .refused(let refusal): throw refusal
    case .withdrawn, nil: throw CancellationError()
    }
  }

  /// The counts at this moment.
  package var snapshot: AdmissionSnapshot { state.withLock { $0.queue.snapshot() } }

  func leave(_ place: AdmissionPlace, isMeasured: Bool) {
    change { $0.leave(place, isMeasured: isMeasured, at: $1) }
  }

  /// Changes the queue and wakes the waiters that were decided about; returns true if `waiter` is one of them.
  @discardableResult
  private func change(
    _ body: (inout AdmissionQueue, _ now: Duration) -> Void, isOver waiter: AdmissionWaiter? = nil
  ) -> Bool {
    let now = clock.uptime
    let (decided, isOver, alarm) = state.withLock { state in
      body(&state.queue, now)
      return (state.queue.takeDecided(), waiter?.outcome != nil, Self.newAlarm(&state))
    }
    for continuation in decided { continuation.resume() }
    if let alarm { setAlarm(at: alarm) }
    return isOver
  }

  // MARK: Deadlines

  /// The time of an alarm that must be set; nil if the one that is set comes early enough.
  private static func newAlarm(_ state: inout State) -> Duration? {
    guard let next = state.queue.nextDeadline, state.alarm.map({ next < $0 }) ?? true else { return nil }
    state.alarm = next
    return next
  }

  private func setAlarm(at time: Duration) {
    let watch = Task.detached(priority: .high) { [weak self, clock] in
      // A nanosecond later, a waiter that may begin at the very moment of its deadline is over.
      guard (try? await clock.sleep(for: time - clock.uptime + .nanoseconds(1))) != nil else { return }
      self?.checkDeadlines(after: time)
    }
    let outdated = state.withLock { state in
      guard state.alarm == time else { return Optional(watch) }
      defer { state.watch = watch }
      return state.watch
    }
    outdated?.cancel()
  }

  private func checkDeadlines(after time: Duration) {
    change { queue, now in queue.expire(at: now) }
    let alarm = state.withLock { state in
      guard state.alarm == time else { return Optional<Duration>.none }
      state.alarm = nil
      return Self.newAlarm(&state)
    }
    if let alarm { setAlarm(at: alarm) }
  }
}

/// The permission to work, which takes a place until it is given back.
package final class AdmissionPass: Sendable {
  private let place: AdmissionPlace
  private let admission: Admission
  private let isOver = Locked(false)

  init(_ place: AdmissionPlace, of admission: Admission) {
    self.place = place
    self.admission = admission
  }

  deinit { giveBack(isMeasured: false) }

  /// Gives the place back; further calls do nothing.
  ///
  /// Work that did not run to its end says so, because its time would make estimates wrong.
  package func leave(isFinished: Bool = true) { giveBack(isMeasured: isFinished) }

  private func giveBack(isMeasured: Bool) {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    if isFirst { admission.leave(place, isMeasured: isMeasured) }
  }
}
