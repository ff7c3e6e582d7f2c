import Glibc

/// A value that is read and written by one thread at a time.
///
/// A pthread mutex stands behind it because ThreadSanitizer understands that one; it is as fast as
/// `Synchronization.Mutex`. Code given to ``withLock(_:)`` must be short and must never call out to code of a user.
public final class Locked<State>: @unchecked Sendable {
  // Unchecked because the compiler cannot see that `mutex` guards `state`.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  // The mutex excludes every second access, so that the check for one at run time would only cost.
  @exclusivity(unchecked) @usableFromInline var state: State

  /// Creates a lock around a value that nobody else holds.
  public init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let status = pthread_mutex_init(mutex, nil)
    precondition(status == 0, "pthread_mutex_init failed with \(status)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the value.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
