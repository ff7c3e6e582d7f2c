import EaselBenchmarkHarness
import EaselCore
import EaselSupport
import Glibc

func lockedCases() -> [BenchmarkCase] {
  [
    BenchmarkCase("Locked, no contention", group: "core", against: "bare pthread mutex", atMost: 1.2) {
      let locked = Locked(0)
      let bare = BareMutex()
      return BenchmarkPair(
        subject: .loop { repetitions in
          for _ in 0..<repetitions { locked.withLock { $0 &+= 1 } }
        },
        baseline: .loop { repetitions in
          for _ in 0..<repetitions {
            pthread_mutex_lock(bare.mutex)
            bare.value &+= 1
            pthread_mutex_unlock(bare.mutex)
          }
        }
      )
    }
  ]
}

private final class BareMutex {
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  var value = 0

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }
}
