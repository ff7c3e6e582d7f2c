import EaselCore
import EaselSupport

/// Calls `body` repeatedly on a number of threads until it returns false, and waits for all calls.
func forEachInThreads(threads: Int, _ body: @escaping @Sendable () -> Bool) {
  let work: @Sendable () -> Void = { while body() {} }
  let others = (1..<max(1, threads)).compactMap { _ in
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

/// Calls `body` with every number below `count`, on up to `threads` threads at once, and waits for all calls.
func forEachInThreads(count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let next = Locked(0)
  forEachInThreads(threads: min(threads, count)) {
    guard let index = next.next(below: count) else { return false }
    body(index)
    return true
  }
}
