/// A run that another run has joined.
///
/// Others can join its value until the run that joined it ends.
final class JoinedRun<Value: Sendable>: Sendable {
  /// The run that was joined.
  let run: any RunInProgress<Value>

  private let wait: @Sendable () async throws -> Held<Value>
  private let giveUp: @Sendable () -> Void
  private let held = Locked(Held<Value>?.none)

  fileprivate init<Key>(_ place: SharedWork<Key, Value>.Place, in runs: SharedWork<Key, Value>) {
    run = place.run
    wait = { try await runs.held(by: place) }
    giveUp = { runs.giveUp(place) }
  }

  /// Waits for the value of the run.
  var value: Value {
    get async throws {
      if let held = held.withLock({ $0 }) { return held.value }
      let new = try await wait()
      held.withLock { $0 = new }
      return new.value
    }
  }

  /// Stops waiting for the run, and releases its value.
  func end() {
    giveUp()
    held.withLock { $0.take() }?.release()
  }
}

/// A run that can be joined even after another run of the same key has replaced it in the table.
protocol RunInProgress<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  var number: UInt64 { get }
  /// The turn of the load that started the run.
  var turn: UInt64? { get }

  /// Takes a seat in this run. If the run has ended, its result is there immediately.
  func join(at seat: Seat<Value>) -> JoinedRun<Value>
}

extension SharedWork.Run: RunInProgress {
  func join(at seat: Seat<Value>) -> JoinedRun<Value> { JoinedRun(work.join(self, seat: seat), in: work) }
}

/// Work that a manager does once for everyone who waits for it.
protocol ManagerRun: Sendable {
  var manager: ImageManager { get }
  /// The request of the load that started the work.
  var request: ResolvedRequest { get }
  /// Everyone who waits for the work, and the runs that the work has joined.
  var shared: SharedRun { get }
}

/// The parts that every run has, for closures that outlive the run and must not retain the rest of it.
struct RunEssence: ManagerRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let shared: SharedRun
}

extension ManagerRun {
  var essence: RunEssence { RunEssence(manager: manager, request: request, shared: shared) }

  /// Joins the run of `key`, or starts it with `make`, without waiting for its value.
  func join<Key, Value>(
    _ runs: SharedWork<Key, Value>, _ key: Key, byteLimit: Int = .max,
    listener: (@Sendable (RunEvent) -> Void)? = nil, _ make: @escaping @Sendable (SharedRun) async throws -> Value
  ) -> JoinedRun<Value> {
    let seat = Seat<Value>(for: shared, byteLimit: byteLimit, listener: listener)
    let joined = JoinedRun(runs.join(key, seat: seat, start: make), in: runs)
    shared.keep(joined.end)
    return joined
  }

  /// Joins exactly this run, and no other run of its key.
  func join<Value>(
    _ run: any RunInProgress<Value>, byteLimit: Int = .max, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) -> JoinedRun<Value> {
    let joined = run.join(at: Seat(for: shared, byteLimit: byteLimit, listener: listener))
    shared.keep(joined.end)
    return joined
  }

  /// Waits for the value of the run of `key`, or starts the run.
  ///
  /// The value cannot be joined after the run has ended.
  func value<Key, Value>(
    from runs: SharedWork<Key, Value>, for key: Key, _ make: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Value {
    try await runs.value(for: key, seat: Seat(for: shared), start: make)
  }
}

extension Load {
  /// Does work for this load alone.
  ///
  /// The work is a run as well: a caller that cancels is answered immediately, and the work is then cancelled.
  func runAlone<Value: Sendable>(
    for request: ResolvedRequest, _ make: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Value {
    try await SharedWork<UInt64, Value>().value(for: number, seat: seat(for: request), start: make)
  }
}

typealias LookupRuns = SharedWork<LookupKey, CacheHit?>
typealias TransferRuns = SharedWork<TransferKey, Transferred>
typealias PixelsRuns = SharedWork<PixelsKey, Image>
typealias PictureRuns = SharedWork<PictureKey, Picture>
