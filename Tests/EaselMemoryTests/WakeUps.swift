import Glibc

/// Unchecked because the system's semaphore is made for many threads.
final class WakeUps: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
}
