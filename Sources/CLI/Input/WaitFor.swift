import EaselCore
import EaselSupport

/// Blocks the calling thread until `body` has finished; this thread must have been created by the program.
///
/// While the thread waits, `tick` is called ten times a second.
func waitFor<Value: Sendable>(
  tick: (() -> Void)? = nil, _ body: @escaping @Sendable () async -> Value
) -> Value {
  let finished = Semaphore()
  let result = Locked<Value?>(nil)
  Task.detached {
    let value = await body()
    result.withLock { $0 = value }
    finished.signal()
  }
  if let tick { while !finished.wait(milliseconds: 100) { tick() } } else { finished.wait() }
  return result.withLock { $0! }
}
