import Glibc

/// A counting semaphore for threads.
///
/// It uses a condition variable with a monotonic clock, because the system's semaphore waits by the time of day, which
/// may change during the wait.
///
/// Unchecked, because the mutex guards the count, and the objects behind the pointers may be used by several threads.
package final class Semaphore: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var count = 0

  package init() {
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    defer { pthread_condattr_destroy(&attributes) }
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, &attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func signal() {
    pthread_mutex_lock(mutex)
    count += 1
    pthread_mutex_unlock(mutex)
    pthread_cond_signal(condition)
  }

  package func wait() {
    pthread_mutex_lock(mutex)
    while count == 0 { pthread_cond_wait(condition, mutex) }
    count -= 1
    pthread_mutex_unlock(mutex)
  }

  /// Waits for the given number of milliseconds at most; returns true when a signal came.
  package func wait(milliseconds: Int) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = deadline.tv_nsec + milliseconds % 1000 * 1_000_000
    deadline.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while count == 0 {
      if pthread_cond_timedwait(condition, mutex, &deadline) != 0 && count == 0 { return false }
    }
    count -= 1
    return true
  }
}
