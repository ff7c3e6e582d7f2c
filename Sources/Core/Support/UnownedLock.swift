import Glibc

/// The way to a ``Locked`` value that someone else keeps alive, without counting references to it.
///
/// Counting would make threads that read different values write to one place, and wait for each other.
@frozen
package struct UnownedLock<State>: @unchecked Sendable {
  // Unchecked because it gives nothing but what the lock gives.
  @usableFromInline let storage: Unmanaged<ManagedBuffer<State, pthread_mutex_t>>

  @inlinable package init(_ locked: Locked<State>) { storage = Unmanaged.passUnretained(locked.storage) }

  /// Runs `body` with exclusive access to the value, which must still be there.
  @inlinable
  package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    storage._withUnsafeGuaranteedRef { storage in
      storage.withUnsafeMutablePointers { state, mutex in
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state.pointee)
      }
    }
  }
}
