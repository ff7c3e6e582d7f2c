import EaselCore
import EaselWorkers
import FoundationEssentials

/// Work that a manager does once for all callers that wait for it.
///
/// A run holds only values that may outlive its work, so closures can keep it.
///
/// Until its end, a task keeps the room of every function that it has called, including everything inlined into these
/// functions. Thousands of loads wait for their loader, so one rule applies to all steps: entry points, and code behind
/// something that most loads do not meet, are never inlined. `Benchmarks/NOTES.md` tells how much memory a running load
/// takes.
struct Run: Sendable {
  let manager: ImageManager
  /// The request of the load that started the work.
  let request: ResolvedRequest
  /// The run that all waiting callers share, with the runs that it has joined.
  let shared: SharedRun

  var clock: any ImageClock { manager.configuration.clock }
  var rules: LoadRules { LoadRules(manager: manager, request: request) }

  func calls(_ cache: any ImageCache) -> CacheCalls { CacheCalls(cache: cache, clock: clock) }

  // MARK: Telling

  /// Tells the observers of all waiting callers about an event.
  ///
  /// `began` is the time at which the event began; nil for events that tell their duration, and for those without one.
  func report(_ kind: ImageEvent.Kind, began: Date? = nil) {
    shared.report(kind, began: began ?? kind.beginning(before: clock.date))
  }

  /// Tells the observers that a cache failed; the load continues.
  ///
  /// A shared store that was not called, because it had failed before, is not reported.
  func report(_ error: any Error, of key: CacheKey) {
    if let trouble = (error as? ImageError)?.sharedStoreTrouble {
      shared.leaveOutSharedStore()
      if trouble == .passedOver { return }
    }
    report(
      .cacheFailed(.wrapping(error, as: .cacheFailed, "A cache failed; the load goes on.", subject: key.readable)))
  }

  /// True for an entry of this key; if the entry was stored under another key, the observers are told.
  func accepts(_ entry: CacheEntry, of key: CacheKey, from layer: CacheLayers) -> Bool {
    if entry.belongs(to: key) { return true }
    report(
      ImageError(
        .cacheFailed,
        "A store gave the entry of another key (\(ImageEvent.Source(layer))). It counts as missing. Check the store.",
        subject: key.readable), of: key)
    return false
  }

  // MARK: Joining

  /// Joins the run of `key`, or starts it with `make`, without waiting for its value.
  ///
  /// The value is kept until this run ends; a value made from a transfer is kept as long as the value of that transfer.
  func join<Key, Value>(
    _ runs: SharedWork<Key, Value>, _ key: Key, byteLimit: Int = .max,
    keptBy transfer: JoinedRun<TransferResult>? = nil,
    listener: (@Sendable (RunEvent) -> Void)? = nil, _ make: @escaping @Sendable (SharedRun) async throws -> Value
  ) -> JoinedRun<Value> {
    let joined = runs.join(key, place: RunPlace(for: shared, byteLimit: byteLimit, listener: listener), start: make)
    if let transfer {
      shared.keep { joined.end(keptBy: transfer) }
    } else {
      shared.keep(joined.end)
    }
    return joined
  }

  /// Joins this particular transfer, not another one with the same key.
  func join(
    _ transfer: JoinedRun<TransferResult>, listener: @escaping @Sendable (RunEvent) -> Void
  ) -> JoinedRun<TransferResult> {
    let place = RunPlace(for: shared, byteLimit: request.limits.downloadBytes, listener: listener)
    let joined = transfer.joined(at: place)
    shared.keep(joined.end)
    return joined
  }

  /// Waits for a transfer; the waiting loads get its events through their own places.
  func value(of transfer: JoinedRun<TransferResult>) async throws -> TransferResult {
    try await join(transfer) { _ in }.value
  }

  // MARK: Working

  /// Runs a plug-in on a worker thread, and waits no longer than `work` allows.
  ///
  /// The plug-in is cancelled when nobody wants its result any more.
  func onWorker<Value: Sendable>(
    _ call: PluginCall, _ work: WorkContext, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let workers =
      if case .reading = call { manager.configuration.readers } else { manager.configuration.workers }
    let started = clock.uptime
    do {
      let value = try await workers.run(at: shared.priority, terms(of: call, work), body)
      try Task.checkCancellation()
      return value
    } catch {
      throw call.slowWork?.noted(in: error, after: clock.uptime - started, of: work) ?? error
    }
  }

  /// The terms of a plug-in call.
  ///
  /// If the plug-in does not return in time, the observers are told.
  func terms(of call: PluginCall, _ work: WorkContext) -> JobTerms {
    JobTerms(work.time) {
      let failure = call.failure(of: work, subject: request.subject)
      report(.threadLost(failure))
      return failure
    }
  }

  /// Makes the context of a plug-in call; `response` is the head that came before the bytes.
  func newWork(response: ResponseHead? = nil) -> WorkContext {
    var work = WorkContext(
      limits: request.limits, context: request.context, cancellation: shared.cancellation, clock: clock)
    work.url = request.bytesAtHand == nil ? request.url : nil
    work.response = response
    return work
  }

  /// Runs a plug-in for a store, after all work that somebody waits for.
  func onStoringWorker<Value: Sendable>(
    _ call: PluginCall, _ work: WorkContext, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await manager.configuration.workers.run(at: manager.pendingStores.priority, terms(of: call, work), body)
  }

  /// Makes the context of a plug-in call for a store; such a call is never cancelled, because its result is to be
  /// stored.
  func newStoringWork() -> WorkContext {
    WorkContext(limits: request.limits, context: request.context, cancellation: Cancellation(), clock: clock)
  }

  /// The coder for stored bytes; it may be another coder than the one that reads the original, if the manager encoded
  /// them.
  func coder(reading bytes: ImageBytes) throws -> any ImageCoder {
    let isOwn = try request.coder.canDecode(prefix: bytes.prefix(CoderRegistry.sniffLength))
    return isOwn ? request.coder : manager.configuration.coders
  }

  /// The format of bytes by their signature; nil when no coder recognizes it.
  ///
  /// The coder of the request is asked first.
  func format(of bytes: ImageBytes, work: WorkContext) -> ImageFormat? {
    let registry = request.coder as? CoderRegistry ?? manager.configuration.coders.adding(request.coder)
    return try? registry.format(of: bytes, work: work)
  }
}
