/// Limits the wait for work that may never end.
package enum Patience {
  /// Waits for `body` at most for `limit`, then fails.
  ///
  /// Work that hangs is cancelled and abandoned.
  package static func wait<Value: Sendable>(
    atMost limit: Duration, by clock: any ImageClock, failure: @escaping @Sendable () -> ImageError,
    for body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let seat = Seat(priority: nil)
    let alarm = Task {
      try await clock.sleep(for: limit)
      seat.fail(with: failure())
    }
    defer { alarm.cancel() }
    return try await SharedWork<Bool, Value>().value(for: true, seat: seat) { _ in try await body() }
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
