import Glibc

/// A bounded pool of pixel memory that reuses freed buffers for pictures of about the same size.
///
/// Touching fresh memory costs as much as decoding into it, so pictures decoded one after another should share their
/// memory. A buffer that is unused for ``idleTime`` goes back to the system.
package final class BufferPool: Sendable {
  /// The pool that bitmaps use.
  package static let shared = BufferPool(
    limit: defaultLimit, idleTime: usualIdleTime, mostBytes: chosen.withLock { $0?.mostBytes } ?? .max)

  /// The most bytes kept for reuse.
  package let limit: Int
  /// The time that a buffer is kept for reuse.
  package let idleTime: Duration
  /// The most bytes of large buffers in use; beyond it, there is no memory.
  package let mostBytes: Int
  /// True when large buffers ask for huge pages, which helps busy machines and hurts idle ones.
  package let usesHugePages: Bool

  private let time: Uptime
  private let state = Locked(State())

  private struct State {
    /// The buffers kept for reuse, the one that has waited longest first.
    ///
    /// An array: a Dictionary here would trigger a conformance scan that costs small programs memory. There are few
    /// buffers, so a linear search is cheap.
    var waiting: [Waiting] = []
    var waitingBytes = 0
    /// The bytes of large buffers that are in use.
    var usedBytes = 0
    var isTrimming = false
  }

  private struct Waiting {
    var bytes: UnsafeMutableRawBufferPointer
    var since: Duration
  }

  /// Creates a pool with limits of its own.
  package init(
    limit: Int = BufferPool.defaultLimit, idleTime: Duration = BufferPool.usualIdleTime, usesHugePages: Bool = false,
    mostBytes: Int = .max, time: Uptime = .system
  ) {
    self.limit = limit
    self.mostBytes = mostBytes
    self.idleTime = idleTime
    self.usesHugePages = usesHugePages
    self.time = time
  }

  deinit { removeAll() }

  /// The default limit: a sixteenth of the memory that this process may use, between 16 and 256 MiB.
  package static var defaultLimit: Int {
    if let limit = chosen.withLock({ $0?.limit }) { return limit }
    return min(256 << 20, max(16 << 20, ControlGroupMemory.available / 16))
  }

  /// Sets the default limit of pools that are made from now on, and the most bytes that ``shared`` hands out.
  ///
  /// A program calls it before its first picture, because ``shared`` is made then.
  package static func bound(defaultLimit: Int, mostBytes: Int) {
    chosen.withLock { $0 = (max(0, defaultLimit), max(0, mostBytes)) }
  }

  private static let chosen = Locked<(limit: Int, mostBytes: Int)?>(nil)
  package static let usualIdleTime = Duration.seconds(5)

  /// The bytes kept for reuse now.
  package var waitingBytes: Int { state.withLock { $0.waitingBytes } }

  /// The bytes of the buffers in use now, apart from small ones.
  package var usedBytes: Int { state.withLock { $0.usedBytes } }

  /// Gives all buffers kept for reuse back to the system.
  package func removeAll() {
    let waiting = state.withLock { state in
      defer {
        state.waiting = []
        state.waitingBytes = 0
      }
      return state.waiting
    }
    for item in waiting { Self.release(item.bytes) }
  }

  /// A buffer of at least `count` bytes with undefined content; nil when there is no more memory.
  ///
  /// A caller that cannot do without it is `urgent`, and gets it beyond ``mostBytes``.
  package func buffer(ofAtLeast count: Int, urgent isUrgent: Bool = false) -> PooledBuffer? {
    let capacity = Self.capacity(for: count)
    guard let capacity else { return nil }
    // Small buffers are never pooled.
    guard capacity >= Self.smallestPooled else {
      return Self.allocateSmall(capacity).map { PooledBuffer(bytes: $0, isFresh: false, pool: self) }
    }
    let (isAllowed, reused) = state.withLock { state -> (Bool, UnsafeMutableRawBufferPointer?) in
      guard isUrgent || state.usedBytes <= mostBytes - capacity else { return (false, nil) }
      state.usedBytes += capacity
      guard let place = state.waiting.lastIndex(where: { $0.bytes.count == capacity }) else { return (true, nil) }
      state.waitingBytes -= capacity
      return (true, state.waiting.remove(at: place).bytes)
    }
    guard isAllowed else { return nil }
    guard let bytes = reused ?? allocate(capacity) else {
      state.withLock { $0.usedBytes -= capacity }
      return nil
    }
    return PooledBuffer(bytes: bytes, isFresh: reused == nil, pool: self)
  }

  func takeBack(_ bytes: UnsafeMutableRawBufferPointer) {
    guard bytes.count >= Self.smallestPooled else { return Self.release(bytes) }
    guard bytes.count <= limit else {
      state.withLock { $0.usedBytes -= bytes.count }
      return Self.release(bytes)
    }
    let now = time.now()
    var surplus: [UnsafeMutableRawBufferPointer] = []
    let mustStartTrimming = state.withLock { state in
      state.usedBytes -= bytes.count
      state.waiting.append(Waiting(bytes: bytes, since: now))
      state.waitingBytes += bytes.count
      var count = 0
      while state.waitingBytes > limit {
        state.waitingBytes -= state.waiting[count].bytes.count
        count += 1
      }
      surplus = state.waiting.prefix(count).map(\.bytes)
      state.waiting.removeFirst(count)
      defer { state.isTrimming = true }
      return !state.isTrimming
    }
    for bytes in surplus { Self.release(bytes) }
    if mustStartTrimming { startTrimming() }
  }

  /// Gives back the buffers that have waited too long; returns true while others still wait.
  @discardableResult
  package func trimIdle() -> Bool {
    let now = time.now()
    var idle: [UnsafeMutableRawBufferPointer] = []
    let remains = state.withLock { state in
      let count = state.waiting.prefix { now - $0.since >= idleTime }.count
      idle = state.waiting.prefix(count).map(\.bytes)
      state.waiting.removeFirst(count)
      state.waitingBytes -= idle.reduce(0) { $0 + $1.count }
      state.isTrimming = !state.waiting.isEmpty
      return state.isTrimming
    }
    for bytes in idle { Self.release(bytes) }
    return remains
  }

  /// Starts a thread that trims the pool and ends as soon as nothing waits.
  ///
  /// A timer on the cooperative pool would keep a task alive for good.
  private func startTrimming() {
    let pause = idleTime
    let time = time
    let hasStarted = PlainThread.start { [weak self] in
      repeat {
        time.block(pause)
      } while self?.trimIdle() == true
    }
    // If the system has no thread left, the next returned buffer tries again.
    if !hasStarted { state.withLock { $0.isTrimming = false } }
  }
}

extension BufferPool {
  /// A place other than the system's anonymous memory for the buffers of this process.
  package protocol Source: Sendable {
    /// A buffer of zeros; nil when the source has no room for it.
    func buffer(of count: Int) -> UnsafeMutableRawBufferPointer?
    /// Takes a buffer back; returns false when it came from elsewhere.
    func takeBack(_ bytes: UnsafeMutableRawBufferPointer) -> Bool
  }

  private static let source = Locked<(any Source)?>(nil)

  /// Lets all large buffers of this process come from `source` as long as it has room.
  package static func use(_ source: any Source) { self.source.withLock { $0 = source } }

  private static let smallestPooled = 64 << 10

  /// Rounds up in steps of an eighth of the next lower power of two, so that pictures of similar size share buffers.
  private static func capacity(for count: Int) -> Int? {
    guard count <= 1 << 46 else { return nil }
    let count = max(count, 64)
    let step = max(64, (1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)) >> 3)
    return (count + step - 1) / step * step
  }

  private func allocate(_ capacity: Int) -> UnsafeMutableRawBufferPointer? {
    if let bytes = Self.source.withLock({ $0 })?.buffer(of: capacity) { return bytes }
    let address = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let address, address != MAP_FAILED else { return nil }
    if usesHugePages { madvise(address, capacity, MADV_HUGEPAGE) }
    return UnsafeMutableRawBufferPointer(start: address, count: capacity)
  }

  private static func release(_ bytes: UnsafeMutableRawBufferPointer) {
    guard bytes.count >= smallestPooled else { return releaseSmall(bytes) }
    if let source = source.withLock({ $0 }), source.takeBack(bytes) { return }
    munmap(bytes.baseAddress, bytes.count)
  }

  /// Aligns by hand, because `aligned_alloc` is much slower than `malloc`.
  ///
  /// The address to free lies before the bytes.
  private static func allocateSmall(_ capacity: Int) -> UnsafeMutableRawBufferPointer? {
    guard let block = malloc(capacity + alignment) else { return nil }
    let start = (block + MemoryLayout<UnsafeMutableRawPointer>.size).alignedUp(toMultipleOf: alignment)
    (start - MemoryLayout<UnsafeMutableRawPointer>.size).storeBytes(of: block, as: UnsafeMutableRawPointer.self)
    return UnsafeMutableRawBufferPointer(start: start, count: capacity)
  }

  private static func releaseSmall(_ bytes: UnsafeMutableRawBufferPointer) {
    let start = bytes.baseAddress!
    free((start - MemoryLayout<UnsafeMutableRawPointer>.size).load(as: UnsafeMutableRawPointer.self))
  }

  private static let alignment = 64
}

/// A block of 64-byte-aligned memory that returns to its pool with its last reference.
///
/// Unchecked because bytes are written only by a unique owner, or after the last byte that readers have received.
package final class PooledBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer
  /// True when the memory is new from the system, so that all bytes are zero and untouched.
  package let isFresh: Bool
  private let pool: BufferPool

  package init(bytes: UnsafeMutableRawBufferPointer, isFresh: Bool, pool: BufferPool) {
    self.bytes = bytes
    self.isFresh = isFresh
    self.pool = pool
  }

  deinit { pool.takeBack(bytes) }
}
