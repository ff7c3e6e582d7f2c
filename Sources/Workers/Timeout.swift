import EaselCore
import EaselSupport

/// Limits the wait for work that may never end.
package enum Timeout {
  /// Waits for `body` at most for `limit`, and fails when that time is over.
  ///
  /// If the work hangs, it is cancelled and abandoned.
  package static func wait<Value: Sendable>(
    atMost limit: Duration, by clock: any ImageClock, failure: @escaping @Sendable () -> ImageError,
    for body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    if Task.isCancelled { throw ImageError.cancelled() }
    let race = Race<Value>()
    // The work is a separate task, because it may hang; it has the task-locals of the caller.
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

  /// Waits for `body` at most for `limit`; if the value comes too late, it is passed to `unclaimed`.
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
      // The value may have come at the very moment at which the wait ended.
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

    /// Sets the result, unless there is one already.
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
      // The result is read under the lock: ThreadSanitizer does not see that a continuation passes a value between
      // threads.
      return state.withLock { $0.result! }
    }
  }

  /// Holds a value until it is certain that its caller still waits for it.
  private final class Delivery<Value: Sendable>: Sendable {
    private let state = Locked<(value: Value?, isRefused: Bool)>((nil, false))

    /// Stores the value; returns false if nobody waits for it.
    func bring(_ value: Value) -> Bool {
      state.withLock { state in
        if !state.isRefused { state.value = value }
        return !state.isRefused
      }
    }

    /// Refuses all further values; returns a value that has already come.
    func refuse() -> Value? {
      state.withLock { state in
        state.isRefused = true
        return state.value.take()
      }
    }
  }
}
