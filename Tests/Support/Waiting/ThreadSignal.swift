import Glibc

/// Wakes one blocked thread.
///
/// Unchecked because the system's semaphore is made for many threads.
final class ThreadSignal: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }

  func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }

  /// Waits for a signal, but at most a millisecond; returns whether it came.
  func waitBriefly() -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_nsec += 1_000_000
    if deadline.tv_nsec >= 1_000_000_000 {
      deadline.tv_nsec -= 1_000_000_000
      deadline.tv_sec += 1
    }
    return sem_timedwait(semaphore, &deadline) == 0
  }
}
