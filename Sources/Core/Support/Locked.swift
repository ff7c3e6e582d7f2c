import Glibc

/// A value that is read and written by one thread at a time; copies share it.
///
/// A pthread mutex stands behind it because ThreadSanitizer understands that one; it is as fast as
/// `Synchronization.Mutex`. Code given to ``withLock(_:)`` must be short and must never call out to code of a user.
public struct Locked<State>: @unchecked Sendable {
  // Unchecked because the compiler cannot see that the mutex guards the value beside it.
  @usableFromInline let storage: ManagedBuffer<State, pthread_mutex_t>

  /// Creates a lock around a value that nobody else holds.
  public init(_ state: sending State) {
    storage = Storage.create(minimumCapacity: 1) { buffer in
      buffer.withUnsafeMutablePointerToElements { mutex in
        mutex.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with \(status)")
      }
      return state
    }
  }

  // Value and mutex in one piece of memory: many objects have a lock each.
  private final class Storage: ManagedBuffer<State, pthread_mutex_t> {
    deinit {
      _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
    }
  }

  /// Runs `body` with exclusive access to the value.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withUnsafeMutablePointers { (state, mutex) throws(Failure) -> Result in
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&state.pointee)
    }
  }
}
