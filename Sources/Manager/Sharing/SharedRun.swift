import EaselCore
import EaselSupport
import FoundationEssentials

/// One run of shared work: everyone who waits for it, what they want, and what has happened so far.
///
/// It can be joined by reference even when it is over and no longer in the table.
final class SharedRun: Sendable {
  /// The highest priority of all who wait for the run.
  let priority: LoadPriority.Live
  let name: RunID
  /// Cancelled when the last waiting place has left.
  let cancellation = Cancellation()
  /// True when no plug-in of another run started this run.
  let isOutermost: Bool
  /// Called when the run takes no more places.
  private let whenClosed: @Sendable (SharedRun) -> Void

  private let state = Locked(RunState())

  /// Creates a run; `turn` is the turn of the load that starts it.
  init(
    turn: UInt64? = nil, isOutermost: Bool = true, whenClosed: @escaping @Sendable (SharedRun) -> Void = { _ in }
  ) {
    priority = LoadPriority.Live(turn: turn)
    name = RunID(number: RunNumber.next(), turn: turn)
    self.isOutermost = isOutermost
    self.whenClosed = whenClosed
  }

  var waitingCount: Int {
    state.withLock { state in
      if case .working = state.stage { state.row.count } else { 0 }
    }
  }

  /// The combined wishes of everyone who waits, or who waited at the end of the run.
  var wish: RunDemand {
    // The wishes of other runs are read outside the lock, because each has a lock of its own.
    state.withLock { $0.row.places }.reduce(into: RunDemand()) { $0.formUnion($1.place.currentWish) }
  }

  // MARK: Beginning and ending

  /// Begins the work of the run, in a task with the task-locals of the caller who starts it.
  ///
  /// So plug-ins see the task-locals of whoever asked first. The priority is not that caller's: all who join later get
  /// the same work.
  func begin(_ start: @escaping @Sendable (SharedRun) async throws -> RunOutcome) {
    let task = Task(priority: .medium) {
      // What a plug-in has begun is not a part of the plug-in.
      guard PluginRun.current != nil else { return await self.work(start) }
      await PluginRun.$current.withValue(nil) { await self.work(start) }
    }
    let isOver = state.withLock { state in
      guard case .working = state.stage else { return true }
      state.stage = .working(task)
      return false
    }
    if isOver { task.cancel() }
  }

  private func work(_ start: @Sendable (SharedRun) async throws -> RunOutcome) async {
    let outcome: RunOutcome
    do { outcome = try await start(self) } catch { outcome = .error(error) }
    for end in state.withLock({ $0.joinedRuns.take() }) ?? [] { end() }
    finish(outcome)
  }

  private func finish(_ outcome: RunOutcome) {
    let (places, isClosed) = state.withLock { $0.finish(outcome) }
    if isClosed { close() }
    for taken in places { answer(taken.place, with: outcome, holds: taken.holds) }
  }

  /// Answers a place after its listener has heard of everything that happened before.
  ///
  /// Another thread may still be delivering older events to it, and the answer must not overtake them.
  private func answer(_ place: RunPlace, with outcome: RunOutcome, holds: Bool) {
    if let listener = place.listener, !listener.deliver(),
      listener.callBehind({ self.answerNow(place, with: outcome, holds: holds) })
    {
      return
    }
    answerNow(place, with: outcome, holds: holds)
  }

  private func answerNow(_ place: RunPlace, with outcome: RunOutcome, holds: Bool) {
    // A place that left in the meantime, or that its own limit has answered, holds nothing.
    if !place.resume(with: outcome), holds { letGo() }
  }

  /// Gives up one hold on the value, which goes with the last one.
  func letGo() { if state.withLock({ $0.letGo() }) { close() } }

  /// Calls `end` when nobody can join the value any more, to let go of something that was made from it.
  ///
  /// A run that joined early but comes late to the next stage then finds what the others made.
  func keepUntilClosed(_ end: @escaping @Sendable () -> Void) {
    let isClosed = state.withLock { state in
      if case .closed = state.stage { return true }
      state.keptUntilClosed.append(end)
      return false
    }
    if isClosed { end() }
  }

  private func close() {
    whenClosed(self)
    let kept = state.withLock { state in
      defer { state.keptUntilClosed = [] }
      return state.keptUntilClosed
    }
    for end in kept { end() }
  }

  /// Keeps a joined run until this run ends; `end` leaves it.
  func keep(_ end: @escaping @Sendable () -> Void) {
    let hasEnded = state.withLock { state in
      state.joinedRuns?.append(end)
      return state.joinedRuns == nil
    }
    if hasEnded { end() }
  }

  // MARK: Places

  /// Takes a place in exactly this run.
  ///
  /// If the run is over, its outcome is there immediately.
  func join(_ place: RunPlace) { settle(place, admit(place, holds: true, evenIfClosed: true)!) }

  /// The places of other runs and of plug-ins' loads that wait for this run.
  var placesWithOwners: [RunPlace] {
    state.withLock { state in
      guard case .working = state.stage else { return [] }
      return state.row.places.map(\.place).filter { $0.run != nil || $0.plugin != nil }
    }
  }

  /// Adds a place; returns nil when the run takes no more places.
  ///
  /// It may be called under a lock. `settle` must follow outside the lock.
  func admit(_ place: RunPlace, holds: Bool, evenIfClosed: Bool = false) -> RunState.Admission? {
    let urgency = place.urgency
    return state.withLock { $0.admit(place, at: urgency, holds: holds, evenIfClosed: evenIfClosed) }
  }

  /// Delivers to a place what has happened so far, and connects it to what follows.
  func settle(_ place: RunPlace, _ admission: RunState.Admission) {
    place.listener?.deliver()
    if admission.exceedsLimit { place.fail(with: .overByteLimit(place.byteLimit)) }
    if let outcome = admission.outcome { return answer(place, with: outcome, holds: admission.holds) }
    place.run?.whenPreviewsAreWanted { [weak self] in self?.previewsAreWanted() }
    if place.currentWish.wantsPreviews { previewsAreWanted() }
    if admission.changesPriority { updatePriority() }
    let index = admission.index
    place.priority?.onChange(for: place) { [weak self] place, urgency in
      guard let self else { return }
      state.withLock { $0.row.setUrgency(urgency, of: place, at: index) }
      updatePriority()
    }
    if !place.enter(self, at: index) { leave(index) }
    breakCircles(with: place)
  }

  /// Removes a place that was answered by something else than the run.
  func leave(_ index: Int) {
    let (task, isEmpty) = state.withLock { state -> (Task<Void, Never>?, Bool) in
      guard case .working(let task) = state.stage, state.row.remove(at: index) else { return (nil, false) }
      guard state.row.count == 0 else { return (nil, false) }
      state.stage = .closed(.error(ImageError.cancelled()))
      return (task, true)
    }
    guard isEmpty else { return updatePriority() }
    cancellation.cancel()
    close()
    task?.cancel()
  }

  /// Gives the run the priority of its most urgent place.
  private func updatePriority() {
    // Reads the row while the priority is locked, so that an older value never replaces a newer one.
    priority.set {
      state.withLock { state in
        if case .working = state.stage { state.row.highestUrgency } else { nil }
      }
    }
  }

  // MARK: Events

  /// Sends an event to the observers of everyone who waits.
  ///
  /// It is never inlined, because an event is large and would take room in every function that waits after it.
  @inline(never)
  func report(_ kind: ImageEvent.Kind, began: Date) { emit(.report(kind, in: name, began: began)) }

  /// Sends an event to every listener; each listener gets the events in order.
  func emit(_ event: RunEvent) {
    let listeners = state.withLock { state in
      state.history.add(event)
      let listeners = state.row.listeners
      for listener in listeners { listener.post(event) }
      return listeners
    }
    for listener in listeners { listener.deliver() }
  }

  /// Calls `body` each time a place joins that wants previews.
  func whenPreviewsAreWanted(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenPreviewsAreWanted.append(body) }
  }

  private func previewsAreWanted() {
    for tell in state.withLock({ $0.whenPreviewsAreWanted }) { tell() }
  }

  // MARK: The shared store

  /// False after the shared store failed in this run, which then goes on without it.
  var mayAskSharedStore: Bool { state.withLock { $0.mayAskSharedStore } }

  /// Notes that the shared store failed.
  func leaveOutSharedStore() { state.withLock { $0.mayAskSharedStore = false } }

  // MARK: Byte limits

  /// The highest byte limit of all who wait.
  var byteLimit: Int { state.withLock { $0.row.loosestLimit } }

  /// True when a load failed at this limit, and a place that has joined since then allows more bytes.
  func allowsMore(than limit: Int) -> Bool {
    state.withLock { state in
      let loosest = state.row.loosestLimit
      if let refused = state.history.refusedCount, refused <= loosest { return true }
      return loosest > limit
    }
  }

  /// Fails all places whose own limit is below `count` bytes; the others continue.
  ///
  /// Returns the loosest limit if `count` exceeds that as well.
  func limit(exceededBy count: Int) -> Int? {
    let (limit, places) = state.withLock { $0.limit(exceededBy: count) }
    for place in places { place.fail(with: .overByteLimit(place.byteLimit)) }
    return limit
  }
}

extension ImageError {
  static func overByteLimit(_ limit: Int, subject: String? = nil) -> ImageError {
    .tooLong("The body is over the limit of \(limit) bytes. Raise Limits.downloadBytes to allow it.", subject: subject)
  }
}
