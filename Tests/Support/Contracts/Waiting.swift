import EaselCore

/// How contract suites run what may block or never end.
enum Waiting {
  /// Runs blocking work on a thread of its own.
  static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      PlainThread.start { continuation.resume(returning: body()) }
    }
  }

  /// Runs `body`, and cancels it and returns nil when it has not ended after `patience`.
  static func atMost<Result: Sendable>(
    _ patience: Duration, _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    await first(
      { await body() },
      {
        try? await Task.sleep(for: patience)
        return nil
      })
  }

  /// The result of what ends first; the other is cancelled and not waited for.
  static func first<Result: Sendable>(
    _ one: @escaping @Sendable () async -> Result, _ other: @escaping @Sendable () async -> Result
  ) async -> Result {
    let tasks = Locked<[Task<Void, Never>]>([])
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result, Never>) in
      let winner = Locked<CheckedContinuation<Result, Never>?>(continuation)
      for body in [one, other] {
        let task = Task {
          let result = await body()
          let continuation = winner.withLock { winner in
            defer { winner = nil }
            return winner
          }
          continuation?.resume(returning: result)
        }
        tasks.withLock { $0.append(task) }
      }
    }
    for task in tasks.withLock({ $0 }) { task.cancel() }
    return result
  }
}
