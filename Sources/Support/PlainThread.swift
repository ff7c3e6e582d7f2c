import Glibc

/// A thread outside the cooperative pool, for work that may block.
package enum PlainThread {
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a detached thread with a stack large enough for C libraries; returns true if the system allowed the thread.
  ///
  /// On this thread, a write beyond the limit on file sizes fails, and does not end the process.
  @discardableResult
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard !CPUBudget.isOneThread else { return false }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 2 << 20)
    let start = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        FileLimit.becomeError()
        Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    if status != 0 { start.release() }
    return status == 0
  }
}
