import EaselTestSupport
import Glibc

/// Reports the end of a thread, through the destructor that the system calls for a thread-specific value.
enum ThreadEnd {
  private final class Report: Sendable {
    let count: Watched<Int>
    init(_ count: Watched<Int>) { self.count = count }
  }

  static func makeKey() -> pthread_key_t {
    var key = pthread_key_t()
    pthread_key_create(&key) { report in
      guard let report else { return }
      Unmanaged<Report>.fromOpaque(report).takeRetainedValue().count.withLock { $0 += 1 }
    }
    return key
  }

  /// Adds one to `count` when the calling thread ends.
  static func report(to count: Watched<Int>, _ key: pthread_key_t) {
    pthread_setspecific(key, Unmanaged.passRetained(Report(count)).toOpaque())
  }
}
