import EaselCore
import EaselSupport

/// Calls `body` with every number below `count`, on up to `threads` threads at once, and waits for all calls.
func forEachInThreads(count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let next = Locked(0)
  let work: @Sendable () -> Void = {
    while true {
      let index = next.withLock { next in
        defer { next += 1 }
        return next
      }
      guard index < count else { return }
      body(index)
    }
  }
  let others = (1..<max(1, min(threads, count))).compactMap { _ in
    let end = Semaphore()
    let started = PlainThread.start {
      work()
      end.signal()
    }
    return started ? end : nil
  }
  work()
  for end in others { end.wait() }
}
