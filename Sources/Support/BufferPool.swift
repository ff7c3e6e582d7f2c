import Glibc

/// A limited pool of pixel memory that reuses freed buffers for pictures of similar size.
///
/// The first use of new memory costs as much as decoding into it, so pictures that are decoded one after another should
/// share memory. A buffer that is unused for ``idleTime`` goes back to the system.
package final class BufferPool: Sendable {
  /// The pool that bitmaps use.
  package static let shared = BufferPool(
    limit: defaultLimit, idleTime: usualIdleTime, mostBytes: chosen.withLock { $0?.mostBytes } ?? .max)

  /// The most bytes that are kept for reuse.
  package let limit: Int
  /// The time for which a buffer is kept for reuse.
  package let idleTime: Duration
  /// The most bytes of large buffers that are in use at the same time; further ones are refused.
  package let mostBytes: Int
  /// True when large buffers ask for huge pages, which helps busy machines and hurts idle ones.
  package let usesHugePages: Bool

  private let time: Uptime
  private let state = Locked(State())

  private struct State {
    /// The buffers that are kept for reuse; the one that has waited longest is first.
    ///
    /// This is an array: a `Dictionary` here would make the runtime look up the protocols of its types, which costs
    /// small programs memory. There are few buffers, so searching all of them is cheap.
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

  /// Creates a pool with its own limits.
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

  /// Sets the default limit of pools that are created later, and the most bytes of ``shared`` in use.
  ///
  /// A program calls it before its first picture, because ``shared`` is created then.
  package static func bound(defaultLimit: Int, mostBytes: Int) {
    chosen.withLock { $0 = (max(0, defaultLimit), max(0, mostBytes)) }
  }

  private static let chosen = Locked<(limit: Int, mostBytes: Int)?>(nil)
  package static let usualIdleTime = Duration.seconds(5)

  /// The bytes that are kept for reuse now.
  package var waitingBytes: Int { state.withLock { $0.waitingBytes } }

  /// The bytes of large buffers that are in use now.
  package var usedBytes: Int { state.withLock { $0.usedBytes } }

  /// Gives all buffers that are kept for reuse back to the system.
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

  /// Returns a buffer of at least `count` bytes with undefined content; nil when there is no more memory.
  ///
  /// A caller that cannot do without the buffer passes `urgent`, and may exceed ``mostBytes``.
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

  /// Gives buffers that have waited too long back to the system; returns true while others still wait.
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

  /// Starts a thread that trims the pool, and ends as soon as no buffer waits.
  ///
  /// A timer on the cooperative pool would keep a task alive forever.
  private func startTrimming() {
    let pause = idleTime
    let time = time
    let hasStarted = PlainThread.start { [weak self] in
      repeat {
        time.block(pause)
      } while self?.trimIdle() == true
    }
    // If the system allows no further thread, the next buffer that is given back tries again.
    if !hasStarted { state.withLock { $0.isTrimming = false } }
  }
}

extension BufferPool {
  /// Another place for the buffers of this process than the system's anonymous memory.
  package protocol Source: Sendable {
    /// Returns a buffer of zeros; nil when the source has no room for it.
    func buffer(of count: Int) -> UnsafeMutableRawBufferPointer?
    /// Takes a buffer back; returns false when it came from elsewhere.
    func takeBack(_ bytes: UnsafeMutableRawBufferPointer) -> Bool
  }

  private static let source = Locked<(any Source)?>(nil)

  /// Takes all further large buffers of this process from `source`, as long as it has room.
  package static func use(_ source: (any Source)?) { self.source.withLock { $0 = source } }

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

  /// Aligns the memory itself, because `aligned_alloc` is much slower than `malloc`.
  ///
  /// The address to free is stored before the bytes.
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

/// A block of memory, aligned to 64 bytes, which returns to its pool when its last reference is released.
///
/// Unchecked, because bytes are written only by a unique owner, or behind the last byte that readers know.
package final class PooledBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer
  /// True when the memory is new from the system, so that all bytes are zero and no page is in use yet.
  package let isFresh: Bool
  private let pool: BufferPool

  package init(bytes: UnsafeMutableRawBufferPointer, isFresh: Bool, pool: BufferPool) {
    self.bytes = bytes
    self.isFresh = isFresh
    self.pool = pool
  }

  deinit { pool.takeBack(bytes) }
}
