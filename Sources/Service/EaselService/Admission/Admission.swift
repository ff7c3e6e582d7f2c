import EaselCore
import EaselSupport

/// Decides when work on pixels begins, so that the server does no more at a time than it has processors for.
///
/// Work is admitted by its estimated cost. Cheap work has places of its own, and AVIF encoding a limit of its own.
/// Clients share the places evenly, and nobody waits for much longer than in plain order of arrival. Work that could not
/// be done in time is refused at once; whatever waits is served, unless its client leaves. Waiting holds no thread.
package final class Admission: Sendable {
  private struct State {
    var queue: AdmissionQueue
    var wanted = WantedResults()
  }

  private let clock: any ImageClock
  private let state: Locked<State>

  package init(_ settings: AdmissionSettings = AdmissionSettings(), clock: any ImageClock = SystemClock()) {
    self.clock = clock
    state = Locked(State(queue: AdmissionQueue(settings)))
  }

  /// Waits until the work may begin.
  ///
  /// `result` is what the work makes; it is done for those who were noted with ``add(_:wanting:)``. `deadline` is the
  /// uptime of the clock by which the work must be finished. Throws ``AdmissionRefusal`` without waiting, or
  /// `CancellationError` as soon as the task is cancelled.
  package func enter(
    _ cost: WorkCost, for result: CacheKey? = nil, deadline: Duration? = nil
  ) async throws -> AdmissionPass {
    try Task.checkCancellation()
    let waiter = AdmissionWaiter(cost, deadline: deadline)
    if !arrive(waiter, for: result) {
      await state.untilDecided(waiter) { change { state, _ in state.queue.withdraw(waiter) } }
    }
    // Read under the lock, because ThreadSanitizer does not see a value passed through the continuation.
    let outcome = state.withLock { state in
      if let result { state.wanted.end(waiter, for: result) }
      return waiter.outcome
    }
    switch outcome {
    case .admitted(let place): return AdmissionPass(place, of: self)
    case .refused(let refusal): throw refusal
    case .withdrawn, nil: throw CancellationError()
    }
  }

  /// The refusal of work that costs this at least, if it came now; nil if it may be let in.
  ///
  /// What others want already is not refused, because it takes no work.
  func foreseenRefusal(
    of cost: WorkCost, for result: CacheKey?, by client: AdmissionClient, deadline: Duration?
  ) -> AdmissionRefusal? {
    let waiter = AdmissionWaiter(cost, client: client, deadline: deadline)
    change { state, now in
      if let result, state.wanted.isShared(result) { return }
      state.queue.turnAway(waiter, at: now)
    }
    return if case .refused(let refusal) = waiter.outcome { refusal } else { nil }
  }

  /// The counts at this moment.
  package var snapshot: AdmissionSnapshot { state.withLock { $0.queue.snapshot() } }

  /// Takes other limits, which hold at once: for what runs and waits as well.
  package func follow(_ settings: AdmissionSettings) {
    change { state, now in state.queue.follow(settings, at: now) }
  }

  /// The number of results that clients want or that are waited for.
  var wantedCount: Int { state.withLock { $0.wanted.count } }

  // MARK: Clients

  /// Notes that a client waits for a result; ``remove(_:wanting:)`` must follow.
  func add(_ client: AdmissionClient, wanting result: CacheKey) {
    change { state, now in
      if let waiter = state.wanted.add(client, wanting: result) { state.queue.join(client, waiter, at: now) }
    }
  }

  /// Notes that a client waits no more.
  func remove(_ client: AdmissionClient, wanting result: CacheKey) {
    change { state, _ in state.wanted.remove(client, wanting: result) }
  }

  // MARK: The queue

  /// Returns true if the waiter has an outcome already.
  private func arrive(_ waiter: AdmissionWaiter, for result: CacheKey?) -> Bool {
    change { state, now in
      let clients = result.map { state.wanted.begin(waiter, for: $0) } ?? []
      if let first = clients.first(where: { $0 != .background }) ?? clients.first { waiter.client = first }
      state.queue.arrive(waiter, at: now)
      for client in clients where client != waiter.client { state.queue.join(client, waiter, at: now) }
      return waiter.outcome != nil
    }
  }

  func leave(_ place: AdmissionPlace, isMeasured: Bool) {
    change { state, now in state.queue.leave(place, isMeasured: isMeasured, at: now) }
  }

  /// Changes the state, and wakes the waiters that were decided about.
  private func change<Value>(_ body: (inout State, _ now: Duration) -> Value) -> Value {
    let now = clock.uptime
    let (value, decided) = state.withLock { state in
      let value = body(&state, now)
      return (value, state.queue.takeDecided())
    }
    for continuation in decided { continuation.resume() }
    return value
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
