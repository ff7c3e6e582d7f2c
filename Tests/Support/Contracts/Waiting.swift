import EaselCore
import EaselSupport
import Glibc

extension Duration {
  /// The patience of a contract suite: two minutes, or none that ends if `EASEL_TEST_PATIENCE` is `unlimited`.
  ///
  /// A runner that sets it notices by itself that a test hangs, and no test fails because the machine is busy.
  @usableFromInline package static let ofContracts: Duration =
    getenv("EASEL_TEST_PATIENCE").map { String(cString: $0) } == "unlimited" ? .unlimited : .seconds(120)

  fileprivate static let unlimited = Duration.seconds(1_000_000_000)
}

/// Runs work of contract suites that may block or never end.
package enum Waiting {
  /// The threads of the work that is awaited with patience.
  @TaskLocal private static var threads: WaitedThreads?

  /// The number of rounds of the pool after which work may count as stuck.
  ///
  /// If a thousand tests run at the same time, each suspension waits for all the others. Work that suspends a few
  /// hundred times may then take long without being stuck.
  private static let leastRounds = 2000

  /// The number of pieces in which patience passes.
  private static let pieces = 50

  /// Runs blocking work on its own thread.
  static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    let threads = threads
    return await withCheckedContinuation { continuation in
      PlainThread.start {
        let result = threads?.whileCounted(body) ?? body()
        continuation.resume(returning: result)
      }
    }
  }

  /// Runs blocking work on several threads and gives each its number.
  ///
  /// All threads begin at the same time. If each were started after the other, one might end before the next begins.
  package static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
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

  /// Runs `body`; if it has not ended after `patience`, cancels it and returns nil.
  ///
  /// It runs outside the pool, so that it may block its thread.
  /// The patience is extended by the time for which threads of ``onThread(_:)`` waited for a processor, so that a busy
  /// machine does not use it up. It begins anew when the count of `answers` has grown, so that each call has all of it.
  /// It passes in pieces by `pause`: if other tests block the pool for longer than all of it, that costs one piece.
  static func atMost<Result: Sendable>(
    _ patience: Duration, since answers: @escaping @Sendable () -> Int = { 0 },
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    guard patience < .unlimited else { return await body() }
    let threads = WaitedThreads(within: threads)
    return await first(
      {
        await withTaskExecutorPreference(SpareThreads.shared) {
          await $threads.withValue(threads) { await body() }
        }
      },
      {
        let piece = max(patience / pieces, .milliseconds(1))
        var (left, added, counted) = (patience, Duration.zero, answers())
        while left > .zero, (try? await pause(piece)) != nil {
          let (delay, count) = (threads.delay, answers())
          left = count > counted ? patience : left - piece + delay - added
          (added, counted) = (delay, count)
        }
        for _ in 0..<leastRounds where !Task.isCancelled { await Task.yield() }
        return nil
      })
  }

  /// The result of the task that ends first; the other is cancelled and not awaited.
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
