import Glibc

/// Counts wake-ups for threads that wait for them.
///
/// Unchecked because the system's semaphore is made for many threads.
package final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  package init() {
    semaphore = .allocate(capacity: 1)
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  package func signal() { sem_post(semaphore) }

  package func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }

  /// Waits no longer than so many milliseconds; returns whether the signal came.
  package func wait(milliseconds: Int) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    let nanoseconds = deadline.tv_nsec + milliseconds % 1000 * 1_000_000
    deadline.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    while sem_timedwait(semaphore, &deadline) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
