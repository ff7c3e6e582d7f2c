/// Another run that a run has joined.
///
/// Its value stays joinable for others until the run that joined it ends.
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

  /// The value, as soon as the run has made it.
  var value: Value {
    get async throws {
      if let held = held.withLock({ $0 }) { return held.value }
      let new = try await wait()
      held.withLock { $0 = new }
      return new.value
    }
  }

  /// Waits for the run no longer, and lets go of its value.
  func end() {
    giveUp()
    held.withLock { $0.take() }?.release()
  }
}

/// A run that can be joined even when others of its key have taken its place.
protocol RunInProgress<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  var number: UInt64 { get }
  /// The turn of the load that the run was begun for.
  var turn: UInt64? { get }

  /// Takes a place in this run; when the run is over, its result is there at once.
  func join(at seat: Seat<Value>) -> JoinedRun<Value>
}

extension SharedWork.Run: RunInProgress {
  func join(at seat: Seat<Value>) -> JoinedRun<Value> { JoinedRun(work.join(self, seat: seat), in: work) }
}

/// A piece of work that a manager does once for everyone who waits for it.
protocol ManagerRun: Sendable {
  var manager: ImageManager { get }
  /// The request of the load that came first.
  var request: ResolvedRequest { get }
  /// Those who wait for the work, and the runs that it has joined.
  var shared: SharedRun { get }
}

/// What every run is made of, for closures that outlive the run and must keep nothing else of it alive.
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

  /// Joins this very run and no other of its key.
  func join<Value>(
    _ run: any RunInProgress<Value>, byteLimit: Int = .max, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) -> JoinedRun<Value> {
    let joined = run.join(at: Seat(for: shared, byteLimit: byteLimit, listener: listener))
    shared.keep(joined.end)
    return joined
  }

  /// Waits for what the run of `key` makes, which nobody can join after it has ended.
  func value<Key, Value>(
    from runs: SharedWork<Key, Value>, for key: Key, _ make: @escaping @Sendable (SharedRun) async throws -> Value
  ) async throws -> Value {
    try await runs.value(for: key, seat: Seat(for: shared), start: make)
  }
}

extension Load {
  /// Does work for this load alone.
  ///
  /// It is a run all the same: a caller that gives up is answered at once, and the work is then cancelled.
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
