import EaselCore
import EaselSupport
import FoundationEssentials

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
  /// Tells the observers of everyone who waits what has just happened.
  ///
  /// `began` is when that began; nil for what the kind tells itself, and for what takes no time.
  func report(_ kind: ImageEvent.Kind, began: Date? = nil) {
    shared.report(kind, began: began ?? kind.beginning(before: manager.configuration.clock.date))
  }

  var essence: RunEssence { RunEssence(manager: manager, request: request, shared: shared) }

  /// Joins the run of `key`, or starts it with `make`, without waiting for its value.
  ///
  /// The value is kept until this run ends, or as long as that of a transfer from which it was made.
  func join<Key, Value>(
    _ runs: SharedWork<Key, Value>, _ key: Key, byteLimit: Int = .max, keptBy transfer: JoinedRun<Transferred>? = nil,
    listener: (@Sendable (RunEvent) -> Void)? = nil, _ make: @escaping @Sendable (SharedRun) async throws -> Value
  ) -> JoinedRun<Value> {
    let seat = Seat(for: shared, byteLimit: byteLimit, listener: listener)
    let joined = runs.join(key, seat: seat, start: make)
    if let transfer {
      shared.keep { joined.end(keptBy: transfer) }
    } else {
      shared.keep(joined.end)
    }
    return joined
  }

  /// Joins exactly the run that another run has joined, and no other run of its key.
  func join<Value>(
    _ other: JoinedRun<Value>, byteLimit: Int = .max, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) -> JoinedRun<Value> {
    let joined = other.joined(at: Seat(for: shared, byteLimit: byteLimit, listener: listener))
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
typealias ResultRuns<Parts: Sendable> = SharedWork<ResultKey, Boxed<Parts>>
typealias EncodingRuns = SharedWork<EncodingRunKey, EncodedBytes>
