/// Waits for work that may never end, as long as a caller can wait.
enum Patience {
  /// Waits for `body` no longer than `limit`, then fails; what hangs is cancelled and left behind.
  static func wait<Value: Sendable>(
    atMost limit: Duration, by clock: any ImageClock, failure: @escaping @Sendable () -> ImageError,
    for body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let seat = Seat<Value>(priority: nil, wish: RunWish(store: [], originalStore: [], wantsPreviews: false))
    let alarm = Task {
      try await clock.sleep(for: limit)
      seat.fail(with: failure())
    }
    defer { alarm.cancel() }
    return try await SharedWork<Bool, Value>().value(for: true, seat: seat) { _ in try await body() }
  }
}
