import EaselSupport
import EaselTestSupport
import Testing

/// The pool's treatment of memory that was released.
struct BufferPoolLifetimeTests {
  private let clock = ManualClock()
  private let megabyte = 1 << 20

  private func pool(limit: Int = 64 << 20, idleTime: Duration = .seconds(5)) -> BufferPool {
    BufferPool(limit: limit, idleTime: idleTime, time: clock.asUptime)
  }

  /// Takes a buffer, releases it and returns its address.
  private func use(_ pool: BufferPool, _ count: Int) -> UnsafeMutableRawPointer? {
    pool.buffer(ofAtLeast: count)?.bytes.baseAddress
  }

  @Test func buffersAreAlignedAndLargeEnough() throws {
    let pool = pool()
    for count in [0, 1, 63, 64, 65, 4095, 65_535, 65_536, 65_537, 1_000_003] {
      let buffer = try #require(pool.buffer(ofAtLeast: count))
      #expect(buffer.bytes.count >= count)
      #expect(Int(bitPattern: buffer.bytes.baseAddress) % 64 == 0)
      #expect(buffer.bytes.count <= max(64, count + count / 8 + 64))
      buffer.bytes.initializeMemory(as: UInt8.self, repeating: 1)
    }
  }

  @Test func aFreedBufferServesTheNextOfAboutItsSize() {
    let pool = pool()
    let first = use(pool, megabyte)
    #expect(pool.waitingBytes == megabyte)
    #expect(use(pool, megabyte - 1000) == first)
    #expect(pool.waitingBytes == megabyte)
  }

  @Test func aBufferInUseIsNeverHandedOutAgain() throws {
    let pool = pool()
    var random = SeededRandom(seed: 3)
    var live: [PooledBuffer] = []
    for _ in 0..<500 {
      if live.count > 20 || (!live.isEmpty && Bool.random(using: &random)) {
        live.remove(at: Int.random(in: live.indices, using: &random))
      } else {
        live.append(try #require(pool.buffer(ofAtLeast: Int.random(in: 1...300_000, using: &random))))
      }
      let ranges = live.map {
        Int(bitPattern: $0.bytes.baseAddress)..<Int(bitPattern: $0.bytes.baseAddress) + $0.bytes.count
      }
      let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
      #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    }
  }

  @Test func smallBuffersDoNotWait() {
    let pool = pool()
    _ = use(pool, 1000)
    #expect(pool.waitingBytes == 0)
  }

  @Test func aBufferAboveTheLimitDoesNotWait() {
    let pool = pool(limit: megabyte)
    _ = use(pool, 2 * megabyte)
    #expect(pool.waitingBytes == 0)
  }

  @Test func overTheLimitTheOldestGoesFirst() {
    let pool = pool(limit: 3 * megabyte)
    do {
      let old = pool.buffer(ofAtLeast: 2 * megabyte)
      clock.advance(by: .milliseconds(1))
      withExtendedLifetime(old) {}
    }
    clock.advance(by: .milliseconds(1))
    let newer = use(pool, megabyte)
    #expect(pool.waitingBytes == 3 * megabyte)
    clock.advance(by: .milliseconds(1))
    _ = use(pool, megabyte + megabyte / 2)
    #expect(pool.waitingBytes == megabyte + megabyte + megabyte / 2)
    #expect(use(pool, megabyte) == newer)
  }

  @Test func whatNobodyUsedForTheIdleTimeGoesBackToTheSystem() async {
    let pool = pool()
    _ = use(pool, megabyte)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(3))
    _ = use(pool, 2 * megabyte)
    #expect(pool.waitingBytes == 3 * megabyte)
    clock.advance(by: .seconds(2))
    // When the thread sleeps again, it has released the first buffer and waits for the second.
    await clock.waitForSleepers()
    #expect(pool.waitingBytes == 2 * megabyte)
    clock.advance(by: .seconds(3))
    #expect(!pool.trimIdle())
    #expect(pool.waitingBytes == 0)
    clock.advance(by: .seconds(10))
  }

  @Test func aBufferThatIsUsedAgainStartsAnewToBeIdle() {
    let pool = pool()
    _ = use(pool, megabyte)
    clock.advance(by: .seconds(4))
    _ = use(pool, megabyte)
    clock.advance(by: .seconds(4))
    #expect(pool.trimIdle())
    #expect(pool.waitingBytes == megabyte)
    clock.advance(by: .seconds(1))
    #expect(!pool.trimIdle())
    clock.advance(by: .seconds(10))
  }

  @Test func everythingCanBeGivenBackAtOnce() {
    let pool = pool()
    _ = use(pool, megabyte)
    _ = use(pool, 2 * megabyte)
    pool.removeAll()
    #expect(pool.waitingBytes == 0)
    clock.advance(by: .seconds(10))
  }

  @Test(arguments: [Int.max, 1 << 46 + 1, 1 << 46])
  func whatNoMachineHasIsRefused(count: Int) {
    #expect(pool().buffer(ofAtLeast: count) == nil)
  }

  @Test func aBufferOutlivesItsPool() throws {
    var pool: BufferPool? = pool()
    weak let gone = pool
    var buffer = try #require(pool?.buffer(ofAtLeast: megabyte)) as PooledBuffer?
    pool = nil
    buffer?.bytes.initializeMemory(as: UInt8.self, repeating: 7)
    #expect(buffer?.bytes.last == 7)
    buffer = nil
    #expect(gone == nil)
  }
}
