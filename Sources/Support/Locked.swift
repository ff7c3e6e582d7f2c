import Glibc

/// A value that only one thread at a time can access; copies share the value.
///
/// It uses a pthread mutex, because ThreadSanitizer understands it, and because it is as fast as
/// `Synchronization.Mutex`. The closure of ``withLock(_:)`` must be short, and must never call user code.
///
/// It is public, although this module is no product: the compiler puts no `package` code in line in other modules.
public struct Locked<State>: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the mutex guards the value.
  @usableFromInline let storage: ManagedBuffer<State, pthread_mutex_t>

  /// Creates a lock around a value that no other code holds.
  @inlinable
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

  // The value and the mutex share one allocation, because many objects have their own lock.
  @usableFromInline
  final class Storage: ManagedBuffer<State, pthread_mutex_t> {
    @inlinable
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
