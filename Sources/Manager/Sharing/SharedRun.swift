import EaselCore
import EaselSupport
import EaselWorkers
import FoundationEssentials

/// One run of shared work, with the places of all callers that wait for it, their demands, and its past events.
///
/// A caller that has a reference can join it even when it is over and no longer in the table.
final class SharedRun: Sendable {
  /// The highest priority of all callers that wait for the run.
  let priority: LoadPriority.Live
  let name: RunID
  /// A flag that is set when the last waiting place has left.
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

  /// The combined demands of all callers that wait, or that waited at the end of the run.
  var wish: RunDemand {
    // The demands of other runs are read outside the lock, because each run has its own lock.
    state.withLock { $0.row.places }.reduce(into: RunDemand()) { $0.formUnion($1.place.currentWish) }
  }

  // MARK: Beginning and ending

  /// Begins the work of the run, in a task with the task-locals of the caller that starts it.
  ///
  /// Plug-ins therefore see the task-locals of the caller that asked first. The priority of the task is not that of the
  /// caller's task, because all callers that join later get the same work.
  func begin(_ start: @escaping @Sendable (SharedRun) async throws -> RunOutcome) {
    let task = Task(priority: priority.value.ofTask) {
      // If a plug-in has started this run, loads of the run are not loads of that plug-in.
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

  /// Answers a place after its listener got all earlier events.
  ///
  /// Another thread may still be delivering older events to the listener, and the answer must not overtake them.
  private func answer(_ place: RunPlace, with outcome: RunOutcome, holds: Bool) {
    if let listener = place.listener, !listener.deliver(),
      listener.callBehind({ self.answerNow(place, with: outcome, holds: holds) })
    {
      return
    }
    answerNow(place, with: outcome, holds: holds)
  }

  private func answerNow(_ place: RunPlace, with outcome: RunOutcome, holds: Bool) {
    // The place may have left, or its own limit may have answered it; then it holds nothing.
    if !place.resume(with: outcome), holds { letGo() }
  }

  /// Gives up one hold on the value; the last one releases the value.
  func letGo() { if state.withLock({ $0.letGo() }) { close() } }

  /// Calls `end` when nobody can join the value any more, so that `end` can release something made from the value.
  ///
  /// A run that joined this one early but comes late to the next step then still finds what others made.
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

  /// Keeps a joined run until this run ends; `end` leaves the joined run.
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
  /// If the run is over, the place has its outcome immediately.
  func join(_ place: RunPlace) { settle(place, admit(place, holds: true, evenIfClosed: true)!) }

  /// The places of other runs, and of loads that plug-ins have started, that wait for this run.
  var placesWithOwners: [RunPlace] {
    state.withLock { state in
      guard case .working = state.stage else { return [] }
      return state.row.places.map(\.place).filter { $0.run != nil || $0.plugin != nil }
    }
  }

  /// Adds a place; returns nil when the run takes no more places.
  ///
  /// The caller may hold a lock. It must call `settle` after releasing it.
  func admit(_ place: RunPlace, holds: Bool, evenIfClosed: Bool = false) -> RunState.Admission? {
    let urgency = place.urgency
    return state.withLock { $0.admit(place, at: urgency, holds: holds, evenIfClosed: evenIfClosed) }
  }

  /// Delivers all past events to a place, and connects it to the following ones.
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

  /// Removes a place that got its answer from elsewhere than the run.
  func leave(_ index: Int) {
    let (task, isEmpty) = state.withLock { state -> (Task<Void, Never>?, Bool) in
      guard case .working(let task) = state.stage, state.row.remove(at: index), state.row.count == 0 else {
        return (nil, false)
      }
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
    // The row is read while the priority is locked, so that an older value never replaces a newer one.
    priority.set { state.withLock { if case .working = $0.stage { $0.row.highestUrgency } else { nil } } }
    guard priority.value >= .high, case .working(let task) = state.withLock({ $0.stage }) else { return }
    task?.escalatePriority(to: .high)
  }

  // MARK: Events

  /// Sends an event to the observers of all callers that wait.
  ///
  /// It is never inlined: an event is large, and would take room in every function that waits after it.
  @inline(never)
  func report(_ kind: ImageEvent.Kind, began: Date) { emit(.report(kind, in: name, began: began)) }

  /// Sends an event to every listener; each listener gets its events in order.
  func emit(_ event: RunEvent) {
    let listeners = state.withLock { state in
      state.history.add(event)
      let listeners = state.row.listeners
      for listener in listeners { listener.post(event) }
      return listeners
    }
    for listener in listeners { listener.deliver() }
  }

  /// Calls `body` whenever a place joins that wants previews.
  func whenPreviewsAreWanted(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenPreviewsAreWanted.append(body) }
  }

  private func previewsAreWanted() {
    for tell in state.withLock({ $0.whenPreviewsAreWanted }) { tell() }
  }

  // MARK: The shared store

  /// False after the shared store failed in this run; the run then continues without it.
  var mayAskSharedStore: Bool { state.withLock { $0.mayAskSharedStore } }

  /// Notes that the shared store failed.
  func leaveOutSharedStore() { state.withLock { $0.mayAskSharedStore = false } }

  // MARK: Byte limits

  /// The highest byte limit of all callers that wait.
  var byteLimit: Int { state.withLock { $0.row.loosestLimit } }

  /// True when a load failed at this limit, but a place that joined later allows more bytes.
  func allowsMore(than limit: Int) -> Bool {
    state.withLock { state in
      let loosest = state.row.loosestLimit
      if let refused = state.history.refusedCount, refused <= loosest { return true }
      return loosest > limit
    }
  }

  /// Fails all places whose own limit is below `count` bytes; the other places stay.
  ///
  /// Returns the highest limit if `count` exceeds even that.
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
