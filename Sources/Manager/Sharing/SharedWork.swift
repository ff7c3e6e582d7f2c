import EaselCore
import EaselSupport

/// Shares work between callers: all who ask for the same key during the work get one result.
///
/// A run has the highest priority of all callers that wait for it. A caller that cancels gets its answer immediately
/// and leaves, and when the last caller leaves, the run is cancelled. One lock guards both joining and starting, and a
/// run that is over takes no more callers, so no caller is lost in between.
///
/// After its end, a run that was joined keeps its value until everyone who joined it has called `end`. Until then
/// others can still join it.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Start = @Sendable (SharedRun) async throws -> Value

  private struct State {
    var runs: [Key: SharedRun] = [:]
    var kept: [Key: Kept] = [:]
  }

  /// The run of a key that can also be joined after its end.
  private struct Kept {
    var keepers = 0
    /// Nil until a caller starts the run.
    var run: SharedRun?
  }

  private let state = Locked(State())

  /// The number of runs that can be joined.
  var count: Int { state.withLock { $0.runs.count } }

  /// The number of callers that wait in all runs.
  var waitingCount: Int { state.withLock { Array($0.runs.values) }.reduce(0) { $0 + $1.waitingCount } }

  /// Joins the run of `key`, or starts it, and waits for its value.
  func value(for key: Key, place: RunPlace, start: @escaping Start) async throws -> Value {
    if Task.isCancelled { place.cancel() }
    join(at: place, key) { start }
    return try await place.value()
  }

  /// Joins the run of `key`, or starts it, without waiting.
  ///
  /// Any task can wait for the value of the place later.
  ///
  /// `start` is called before this returns, and only if a new run is needed; it returns the work of that run.
  func join(at place: RunPlace, _ key: Key, _ start: () -> Start) { _ = join(key, place, holds: false, start) }

  /// Joins the run of `key`, or starts it, without waiting.
  ///
  /// The place receives all events from now on.
  func join(_ key: Key, place: RunPlace, start: @escaping Start) -> JoinedRun<Value> {
    if Task.isCancelled { place.cancel() }
    return JoinedRun(join(key, place, holds: true) { start }, place)
  }

  private func join(_ key: Key, _ place: RunPlace, holds: Bool, _ start: () -> Start) -> SharedRun {
    // A place that is already cancelled starts no work.
    if place.isAnswered { return newRun(key, startedBy: place) }
    let (run, admission, isNew) = state.withLock { state -> (SharedRun, RunState.Admission, Bool) in
      if let run = state.runs[key], let admission = run.admit(place, holds: holds) {
        state.kept[key]?.run = run
        return (run, admission, false)
      }
      if let run = state.kept[key]?.run {
        return (run, run.admit(place, holds: holds, evenIfClosed: true)!, false)
      }
      let run = newRun(key, startedBy: place)
      state.runs[key] = run
      state.kept[key]?.run = run
      return (run, run.admit(place, holds: holds)!, true)
    }
    run.settle(place, admission)
    if isNew {
      let work = start()
      run.begin { RunOutcome(of: try await work($0)) }
    }
    return run
  }

  private func newRun(_ key: Key, startedBy place: RunPlace) -> SharedRun {
    SharedRun(turn: place.turn, isOutermost: place.isOutermost) { [self] run in
      state.withLock { state in
        if state.runs[key] === run { state.runs[key] = nil }
      }
    }
  }

  /// Keeps the next run of `key` until ``letGo(of:)``, so that all callers in between share one run.
  ///
  /// Callers that come after the end of this run get its value or its error.
  func keep(_ key: Key) { state.withLock { $0.kept[key, default: Kept()].keepers += 1 } }

  /// Ends one call of ``keep(_:)``; the last one releases the run.
  func letGo(of key: Key) {
    state.withLock { state in
      state.kept[key]?.keepers -= 1
      if state.kept[key]?.keepers == 0 { state.kept[key] = nil }
    }
  }

  /// Removes the runs of the matching keys from the table, so that no new caller joins them.
  ///
  /// Callers that wait in them still get their answers.
  func forgetAll(where isMeant: (Key) -> Bool) {
    state.withLock { state in
      for key in state.runs.keys where isMeant(key) { state.runs[key] = nil }
      for key in state.kept.keys where isMeant(key) { state.kept[key]?.run = nil }
    }
  }
}

/// A run that was joined, with the place that was taken in it.
///
/// Others can join its value until all who joined the run have called `end`.
struct JoinedRun<Value: Sendable>: Sendable {
  fileprivate let run: SharedRun
  private let place: RunPlace

  fileprivate init(_ run: SharedRun, _ place: RunPlace) {
    self.run = run
    self.place = place
  }

  var name: RunID { run.name }

  /// Waits for the value of the run.
  var value: Value { get async throws { try await place.value() } }

  /// Stops waiting for the run, and releases its value.
  func end() { if place.giveUp() { run.letGo() } }

  /// Stops waiting for the run; if it has a value, the value stays as long as the value of `source` can be joined.
  func end(keptBy source: JoinedRun<some Sendable>) {
    if place.hasValue { source.run.keepUntilClosed(end) } else { end() }
  }

  /// Takes another place in this same run, even if another run of the key has replaced it in the table.
  func joined(at place: RunPlace) -> JoinedRun {
    run.join(place)
    return JoinedRun(run, place)
  }
}
