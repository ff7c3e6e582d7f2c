import EaselCore
import EaselSupport

/// Limits the wait for work that may never end.
package enum Timeout {
  /// Waits for `body` at most for `limit`, then fails.
  ///
  /// Work that hangs is cancelled and abandoned.
  package static func wait<Value: Sendable>(
    atMost limit: Duration, by clock: any ImageClock, failure: @escaping @Sendable () -> ImageError,
    for body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    if Task.isCancelled { throw ImageError.cancelled() }
    let race = Race<Value>()
    // A task of its own, which may hang, with the task-locals of the caller.
    let work = Task {
      do { race.end(with: .success(try await body())) } catch { race.end(with: .failure(error)) }
    }
    let alarm = Task.detached {
      guard (try? await clock.sleep(for: limit)) != nil else { return }
      race.end(with: .failure(failure()))
    }
    defer {
      alarm.cancel()
      work.cancel()
    }
    return try await withTaskCancellationHandler {
      try await race.result().get()
    } onCancel: {
      race.end(with: .failure(ImageError.cancelled()))
    }
  }

  /// Waits for `body` at most for `limit`; a value that comes when nobody waits any more goes to `unclaimed`.
  package static func wait<Value: Sendable>(
    atMost limit: Duration, by clock: any ImageClock, failure: @escaping @Sendable () -> ImageError,
    unclaimed: @escaping @Sendable (Value) -> Void, for body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let delivery = Delivery<Value>()
    do {
      return try await wait(atMost: limit, by: clock, failure: failure) {
        let value = try await body()
        if !delivery.bring(value) { unclaimed(value) }
        return value
      }
    } catch {
      // It may have been brought at the very moment at which the wait ended.
      if let value = delivery.refuse() { unclaimed(value) }
      throw error
    }
  }

  /// Takes the first of several results, for one waiting task.
  private final class Race<Value: Sendable>: Sendable {
    private struct State {
      var result: Result<Value, any Error>?
      var waiting: UnsafeContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Ends the race, unless it has ended before.
    func end(with result: Result<Value, any Error>) {
      let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
        guard state.result == nil else { return nil }
        state.result = result
        return state.waiting.take()
      }
      waiting?.resume()
    }

    /// Waits for the first result.
    func result() async -> Result<Value, any Error> {
      await withUnsafeContinuation { continuation in
        let hasEnded = state.withLock { state in
          if state.result == nil { state.waiting = continuation }
          return state.result != nil
        }
        if hasEnded { continuation.resume() }
      }
      // The result is read under the lock and not passed by the continuation, which ThreadSanitizer does not see.
      return state.withLock { $0.result! }
    }
  }

  /// Holds a value until it is known whether its caller has waited for it.
  private final class Delivery<Value: Sendable>: Sendable {
    private let state = Locked<(value: Value?, isRefused: Bool)>((nil, false))

    /// Brings the value; false if nobody waits for it.
    func bring(_ value: Value) -> Bool {
      state.withLock { state in
        if !state.isRefused { state.value = value }
        return !state.isRefused
      }
    }

    /// Takes no value from now on; returns the one that was brought.
    func refuse() -> Value? {
      state.withLock { state in
        state.isRefused = true
        return state.value.take()
      }
    }
  }
}
