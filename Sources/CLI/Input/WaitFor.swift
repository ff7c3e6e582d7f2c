import EaselCore

/// Blocks the calling thread, which must be one of the program's own, until `body` has finished.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
  let signal = ThreadSignal()
  let result = Locked<Value?>(nil)
  Task.detached {
    let value = await body()
    result.withLock { $0 = value }
    signal.send()
  }
  signal.wait()
  return result.withLock { $0! }
}
