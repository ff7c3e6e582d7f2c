import EaselCore
import EaselSupport
import EaselWorkers

/// Calls a shared store: each call has a time limit, and there are no calls while lookups fail.
///
/// Only lookups decide whether the store fails, because loads wait for lookups. A full store still finds its entries,
/// and a store that stores entries within a second may be too slow for lookups.
///
/// No thread waits for the store. A call that exceeds its time is cancelled and abandoned.
final class SharedStoreCalls: Sendable {
  private static let mostHanging = 8
  private static let logInterval = Duration.seconds(60)

  private struct State {
    var breaker: CircuitBreaker
    var counts = TieredCache.SharedStoreCounts()
    var lastLog: Duration?
    var unloggedFailures = 0
  }

  let settings: TieredCache.SharedStoreSettings
  private let store: any SharedStore
  private let clock: any ImageClock
  private let hanging = OverdueCalls()
  private let state: Locked<State>

  init(of store: any SharedStore, _ settings: TieredCache.SharedStoreSettings, clock: any ImageClock) {
    self.store = store
    self.settings = settings
    self.clock = clock
    state = Locked(
      State(breaker: CircuitBreaker(failuresToOpen: settings.failuresToOpen, openTime: settings.openTime)))
  }

  var counts: TieredCache.SharedStoreCounts {
    let hangs = hanging.count >= Self.mostHanging
    return state.withLock { state in
      var counts = state.counts
      counts.isOpen = !state.breaker.isClosed || hangs
      return counts
    }
  }

  /// The number of calls that are overdue and have not yet returned.
  var hangingCount: Int { hanging.count }

  /// Looks up an entry.
  ///
  /// This also throws if the store must not be called, so that a load knows that no other process can pass it anything.
  func entry(for key: CacheKey) async throws -> CacheEntry? {
    let entry = try await look(for: key, within: settings.time(toFind: key)) { [store] in
      try await store.entry(for: key)
    }
    state.withLock { state in
      if entry == nil { state.counts.misses += 1 } else { state.counts.hits += 1 }
    }
    settings.observer?(entry == nil ? .miss : .hit)
    return entry
  }

  /// Looks whether there is an entry.
  func contains(_ key: CacheKey) async throws -> Bool {
    try await look(for: key, within: settings.answerTime) { [store] in try await store.contains(key) }
  }

  /// Makes a call for which no load waits; throws a marked error if the store must not be called.
  func change<Value: Sendable>(
    _ key: CacheKey? = nil, within limit: Duration, _ body: @escaping @Sendable (any SharedStore) async throws -> Value
  ) async throws -> Value {
    let mayAsk = hanging.count < Self.mostHanging && state.withLock { $0.breaker.isClosed }
    guard mayAsk else { throw passedOver(key) }
    return try await run(key, within: limit, ticket: nil) { [store] in try await body(store) }
  }

  private func look<Value: Sendable>(
    for key: CacheKey, within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let now = clock.uptime
    let hangs = hanging.count >= Self.mostHanging
    guard !hangs, let ticket = state.withLock({ $0.breaker.enter(at: now) }) else { throw passedOver(key) }
    if ticket.isTrial {
      Task(priority: .medium) { [self] in
        _ = try? await run(key, within: settings.answerTime, ticket: ticket) { [store] in
          try await store.contains(key)
        }
      }
      throw passedOver(key)
    }
    return try await run(key, within: limit, ticket: ticket, body)
  }

  private func passedOver(_ key: CacheKey?) -> ImageError {
    state.withLock { $0.counts.passedOver += 1 }
    return .ofSharedStore(
      .passedOver,
      "The shared store is not asked, because it failed \(settings.failuresToOpen) times. It is tried again within "
        + "\(settings.openTime).", subject: key?.readable)
  }

  private func run<Value: Sendable>(
    _ key: CacheKey?, within limit: Duration, ticket: CircuitBreaker.Ticket?,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let call = OverdueCalls.Call(of: hanging)
    let began = clock.uptime
    do {
      let value = try await Timeout.wait(atMost: limit, by: clock) {
        call.noteLate()
        return ImageError.ofSharedStore(
          .failed,
          "The shared store did not answer within \(limit). The load goes on without it. Check the store and the "
            + "network.", subject: key?.readable)
      } for: {
        defer { _ = call.hasReturned() }
        return try await body()
      }
      tell(leave(ticket, .success(after: clock.uptime - began)))
      return value
    } catch {
      if Task.isCancelled {
        call.noteLate()
        tell(leave(ticket, .unknown))
        throw ImageError.cancelled(subject: key?.readable)
      }
      let failure = ImageError.ofSharedStore(error, subject: key?.readable)
      let change = leave(ticket, .failure(within: limit))
      log(failure)
      settings.observer?(.failed(failure))
      tell(change)
      throw failure
    }
  }

  private func leave(_ ticket: CircuitBreaker.Ticket?, _ ending: CircuitBreaker.Ending) -> CircuitBreaker.Change? {
    let now = clock.uptime
    return state.withLock { state in
      if case .failure = ending { state.counts.failures += 1 }
      let change = ticket.flatMap { state.breaker.leave($0, ending, at: now) }
      if case .opened? = change { state.counts.openings += 1 }
      return change
    }
  }

  private func tell(_ change: CircuitBreaker.Change?) {
    switch change {
    case .opened: settings.observer?(.opened)
    case .closed: settings.observer?(.closed)
    case nil: break
    }
  }

  private func log(_ failure: ImageError) {
    guard let log = settings.log else { return }
    let now = clock.uptime
    let count = state.withLock { state -> Int? in
      state.unloggedFailures += 1
      if let last = state.lastLog, now - last < Self.logInterval { return nil }
      state.lastLog = now
      defer { state.unloggedFailures = 0 }
      return state.unloggedFailures
    }
    guard let count else { return }
    log("The shared store failed \(count == 1 ? "once" : "\(count) times") since the last report. \(failure)")
  }
}

extension ImageError {
  static func ofDiskAndSharedStore(_ errors: [any Error], _ key: CacheKey?) -> ImageError {
    var error = ImageError(
      .cacheFailed, "The disk and the shared store failed.", subject: key?.readable, causes: errors)
    error.sharedStoreTrouble = .failed
    return error
  }

  fileprivate static func ofSharedStore(
    _ trouble: SharedStoreTrouble, _ message: String, subject: String?
  ) -> ImageError {
    var error = ImageError(.cacheFailed, message, subject: subject)
    error.sharedStoreTrouble = trouble
    return error
  }

  fileprivate static func ofSharedStore(_ error: any Error, subject: String?) -> ImageError {
    if let known = error as? ImageError, known.sharedStoreTrouble != nil { return known }
    var failure = ImageError(
      .cacheFailed, "The shared store failed. Loads go on without it.", subject: subject, cause: error)
    failure.sharedStoreTrouble = .failed
    return failure
  }
}
