import EaselCore
import EaselSupport

/// State behind a lock, with conditions that tasks and threads can wait for, so that no test has to poll.
package final class Watched<State>: Sendable {
  private struct Waiter {
    let id: UInt64
    let isSatisfied: @Sendable (State) -> Bool
    let wake: @Sendable () -> Void
  }

  private struct Contents {
    var state: State
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0

    mutating func takeSatisfied() -> [Waiter] {
      let satisfied = waiters.filter { $0.isSatisfied(state) }
      if !satisfied.isEmpty { waiters.removeAll { waiter in satisfied.contains { $0.id == waiter.id } } }
      return satisfied
    }
  }

  private let contents: Locked<Contents>

  package init(_ state: sending State) {
    contents = Locked(Contents(state: state))
  }

  /// Reads or changes the state, and wakes the waiters whose condition now holds, in the order they came.
  package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    let (result, satisfied) = contents.withLock { contents in
      let result = body(&contents.state)
      return (result, contents.takeSatisfied())
    }
    for waiter in satisfied { waiter.wake() }
    return result
  }

  /// Suspends until the state satisfies a condition, or until the task is cancelled.
  package func wait(until isSatisfied: @escaping @Sendable (State) -> Bool) async {
    let id = newID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = add(Waiter(id: id, isSatisfied: isSatisfied) { continuation.resume() })
        if !isWaiting { continuation.resume() } else if Task.isCancelled { withdraw(id) }
      }
    } onCancel: {
      withdraw(id)
    }
  }

  /// Blocks the calling thread until the state satisfies a condition.
  package func block(until isSatisfied: @escaping @Sendable (State) -> Bool) {
    let signal = Semaphore()
    if add(Waiter(id: newID(), isSatisfied: isSatisfied) { signal.signal() }) { signal.wait() }
  }

  /// Blocks the calling thread until the state satisfies a condition or `check`, called every millisecond, throws.
  package func block(until isSatisfied: @escaping @Sendable (State) -> Bool, check: () throws -> Void) throws {
    let signal = Semaphore()
    let id = newID()
    guard add(Waiter(id: id, isSatisfied: isSatisfied) { signal.signal() }) else { return }
    do {
      repeat { try check() } while !signal.wait(milliseconds: 1)
    } catch {
      contents.withLock { contents in contents.waiters.removeAll { $0.id == id } }
      throw error
    }
  }

  private func newID() -> UInt64 {
    contents.withLock { contents in
      contents.lastID += 1
      return contents.lastID
    }
  }

  /// False when the condition holds already.
  private func add(_ waiter: Waiter) -> Bool {
    contents.withLock { contents in
      if waiter.isSatisfied(contents.state) { return false }
      contents.waiters.append(waiter)
      return true
    }
  }

  private func withdraw(_ id: UInt64) {
    let waiter = contents.withLock { contents in
      contents.waiters.firstIndex { $0.id == id }.map { contents.waiters.remove(at: $0) }
    }
    waiter?.wake()
  }
}
