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
}
