import Glibc

/// The same as ``Locked`` in one piece of memory instead of three, for what exists ten thousand times; copies share it.
struct CompactLocked<State>: @unchecked Sendable {
  // Unchecked because the compiler cannot see that the mutex guards the value beside it.
  private let storage: ManagedBuffer<State, pthread_mutex_t>

  init(_ state: sending State) {
    storage = Storage.create(minimumCapacity: 1) { buffer in
      buffer.withUnsafeMutablePointerToElements { mutex in
        mutex.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with \(status)")
      }
      return state
    }
  }

  private final class Storage: ManagedBuffer<State, pthread_mutex_t> {
    deinit {
      _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
    }
  }

  func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withUnsafeMutablePointers { (state, mutex) throws(Failure) -> Result in
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&state.pointee)
    }
  }
}
