import CEaselMemory
import Glibc

/// A value that many threads can read at the same time, and that one thread at a time can change.
///
/// Each processor has its own lock. A reader takes the lock of the processor that it runs on; a writer takes all locks.
/// With a single lock, every hit would move the lock's cache line between processors, which takes longer than the hit
/// itself. With two threads, a hit took 1.5 to 3 times as long in 16 shards that had a `Locked` each.
///
/// Unchecked, because these locks guard the value, and no address ever changes.
final class ReadMostlyLock<State: ~Copyable>: @unchecked Sendable {
  private let state: UnsafeMutablePointer<State>
  private let locks: UnsafeMutableRawPointer
  private let count: Int

  // A lock and the counter that it guards have two cache lines, because the processor fetches lines in pairs.
  private let stride = 128
  private let counterOffset = 64

  /// Creates as many locks as there are processors, rounded up to a power of two.
  ///
  /// There are at most eight, because a writer takes one after another.
  init(_ state: consuming State, processors: Int = Int(sysconf(Int32(_SC_NPROCESSORS_CONF)))) {
    count = [1, 2, 4].first { $0 >= processors } ?? 8
    self.state = .allocate(capacity: 1)
    self.state.initialize(to: state)
    locks = .allocate(byteCount: count * stride, alignment: stride)
    for index in 0..<count {
      mutex(index).initialize(to: pthread_mutex_t())
      let status = pthread_mutex_init(mutex(index), nil)
      precondition(status == 0, "pthread_mutex_init failed with \(status)")
      counter(index).initialize(to: 0)
    }
  }

  deinit {
    for index in 0..<count { pthread_mutex_destroy(mutex(index)) }
    locks.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Reads the value, while others may also read it; `body` may change the counter of the lock.
  @inline(__always)
  func read<Result>(_ body: (borrowing State, _ counter: inout Int) -> Result) -> Result {
    // The thread may move to another processor at once. This does no harm, because every lock keeps writers out.
    let index = Int(easel_memory_processor()) & (count - 1)
    pthread_mutex_lock(mutex(index))
    defer { pthread_mutex_unlock(mutex(index)) }
    return body(state.pointee, &counter(index).pointee)
  }

  /// Changes the value while no other thread uses it.
  func write<Result>(_ body: (inout State) -> Result) -> Result {
    for index in 0..<count { pthread_mutex_lock(mutex(index)) }
    defer { for index in 0..<count { pthread_mutex_unlock(mutex(index)) } }
    return body(&state.pointee)
  }

  @inline(__always)
  private func mutex(_ index: Int) -> UnsafeMutablePointer<pthread_mutex_t> {
    (locks + index &* stride).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  @inline(__always)
  private func counter(_ index: Int) -> UnsafeMutablePointer<Int> {
    (locks + index &* stride + counterOffset).assumingMemoryBound(to: Int.self)
  }
}
