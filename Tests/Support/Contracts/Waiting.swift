import EaselCore

/// How contract suites run what may block or never end.
enum Waiting {
  /// The threads of the work that somebody waits for with patience.
  @TaskLocal private static var threads: WaitedThreads?

  /// How often the pool must have come round before work counts as stuck.
  ///
  /// Where a thousand tests run at once, each suspension waits until all of them had their turn, so work that suspends
  /// a few hundred times may take any time without being stuck.
  private static let leastRounds = 2000

  /// Runs blocking work on a thread of its own.
  static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    let threads = threads
    return await withCheckedContinuation { continuation in
      PlainThread.start {
        let result = threads?.whileCounted(body) ?? body()
        continuation.resume(returning: result)
      }
    }
  }

  /// Runs blocking work on several threads, each with its number.
  ///
  /// All begin at once: threads that are started one after another may each be done before the next, and meet nobody.
  static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let arrived = Watched(0)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          await onThread {
            arrived.withLock { $0 += 1 }
            arrived.block { $0 == count }
            body(number)
          }
        }
      }
    }
  }

  /// Runs `body`, and cancels it and returns nil when it has not ended after `patience`.
  ///
  /// A busy machine does not use up the patience: the time in which threads of ``onThread(_:)`` waited for a processor
  /// is added to it.
  static func atMost<Result: Sendable>(
    _ patience: Duration, _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    let threads = WaitedThreads(within: threads)
    return await first(
      { await $threads.withValue(threads) { await body() } },
      {
        var (left, added) = (patience, Duration.zero)
        while left > .milliseconds(1), (try? await Task.sleep(for: left)) != nil {
          let delay = threads.delay
          (left, added) = (delay - added, delay)
        }
        for _ in 0..<leastRounds where !Task.isCancelled { await Task.yield() }
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
