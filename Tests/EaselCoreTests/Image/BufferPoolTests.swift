import EaselCore
import EaselSupport
import EaselTestStudio
import EaselTestTags
import FoundationEssentials
import Testing

@Suite(.tags(.alone))
struct BufferPoolTests {
  private let clock = SteppedClock()

  private func pool(limit: Int = 1 << 20, idle: Duration = .seconds(5)) -> BufferPool {
    BufferPool(limit: limit, idleTime: idle, time: FrozenClock(stepped: clock).asUptime)
  }

  /// A clock that blocks the pool's own thread until the test releases it.
  private final class FrozenClock: ImageClock {
    private let stepped: SteppedClock

    init(stepped: SteppedClock) { self.stepped = stepped }

    var date: Date { stepped.date }
    var uptime: Duration { stepped.uptime }
    func sleep(for duration: Duration) async throws {}
    func block(for duration: Duration) { SystemClock().block(for: .milliseconds(1)) }
  }

  @Test func aFreedBufferServesTheNextOfAboutItsSize() throws {
    let pool = pool()
    var buffer = pool.buffer(ofAtLeast: 100_000)
    let address = try #require(buffer?.bytes.baseAddress)
    #expect(pool.waitingBytes == 0)
    buffer = nil
    #expect(pool.waitingBytes >= 100_000)
    buffer = pool.buffer(ofAtLeast: 99_000)
    #expect(buffer?.bytes.baseAddress == address)
    #expect(pool.waitingBytes == 0)
  }

  @Test func onlyWhatComesFromTheSystemIsKnownToBeZero() throws {
    let pool = pool()
    for _ in 0..<2 {
      let buffer = try #require(pool.buffer(ofAtLeast: 100_000))
      let isZero = UnsafeRawBufferPointer(buffer.bytes).allSatisfy { $0 == 0 }
      #expect(buffer.isFresh == isZero)
      buffer.bytes.initializeMemory(as: UInt8.self, repeating: 7)
    }
    #expect(pool.waitingBytes > 0)
    let small = try #require(pool.buffer(ofAtLeast: 100))
    #expect(!small.isFresh)
  }

  @Test func aBitmapIsZeroWhateverItsMemoryWasUsedFor() throws {
    let size = PixelSize(width: 300, height: 300)
    for _ in 0..<4 {
      var bitmap = try Bitmap(size: size, format: .rgba8)
      #expect(bitmap.withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
      bitmap.withUnsafeMutableBytes { bytes in
        for place in bytes.indices { bytes[place] = 7 }
      }
    }
  }

  @Test func aBufferInUseIsNeverHandedOutAgain() {
    let pool = pool()
    let buffers = (0..<8).map { _ in pool.buffer(ofAtLeast: 100_000) }
    #expect(Set(buffers.map { $0?.bytes.baseAddress }).count == 8)
  }

  @Test func buffersHoldWhatWasAskedForAndAreAligned() throws {
    let pool = pool()
    for count in [0, 1, 63, 64, 65, 4096, 65_535, 65_536, 65_537, 1_000_003] {
      let buffer = try #require(pool.buffer(ofAtLeast: count))
      #expect(buffer.bytes.count >= count && buffer.bytes.count >= 64)
      #expect(buffer.bytes.count <= max(128, count + count / 4), "at most a quarter is given away")
      #expect(UInt(bitPattern: buffer.bytes.baseAddress) % 64 == 0)
    }
  }

  @Test func buffersInUseAreCounted() throws {
    let pool = pool(limit: 300_000)
    #expect(pool.usedBytes == 0)
    var (first, large) = (pool.buffer(ofAtLeast: 100_000), pool.buffer(ofAtLeast: 1_000_000))
    let both = try #require(first).bytes.count + #require(large).bytes.count
    #expect(pool.usedBytes == both)
    let small = pool.buffer(ofAtLeast: 100)
    #expect(pool.usedBytes == both && small != nil)
    first = nil
    #expect(pool.usedBytes + pool.waitingBytes == both)
    large = nil
    #expect(pool.usedBytes == 0, "One that is too large to be kept counts no more either.")
    first = pool.buffer(ofAtLeast: 100_000)
    #expect(pool.usedBytes == first?.bytes.count && pool.waitingBytes == 0)
    large = pool.buffer(ofAtLeast: 1 << 45)
    #expect(large != nil || pool.usedBytes == first?.bytes.count)
  }

  @Test func noMoreThanTheMostIsHandedOutUnlessItIsUrgent() throws {
    let pool = BufferPool(
      limit: 1 << 20, idleTime: .seconds(5), mostBytes: 300_000, time: FrozenClock(stepped: clock).asUptime)
    let first = try #require(pool.buffer(ofAtLeast: 200_000))
    #expect(pool.buffer(ofAtLeast: 200_000) == nil && pool.usedBytes == first.bytes.count)
    #expect(pool.buffer(ofAtLeast: 1000) != nil, "Small ones come from the heap.")
    let second = pool.buffer(ofAtLeast: 200_000, urgent: true)
    #expect(second != nil && pool.usedBytes > 300_000)
    #expect(pool.buffer(ofAtLeast: 70_000) == nil)
  }

  @Test func aCopyWithoutMemoryIsAnError() throws {
    let pool = BufferPool(
      limit: 1 << 20, idleTime: .seconds(5), mostBytes: 300_000, time: FrozenClock(stepped: clock).asUptime)
    let size = PixelSize(width: 250, height: 200)
    var bitmap = try Bitmap(unfilled: size, format: .rgba8, pool: pool)
    bitmap.withUnsafeMutableBytes { bytes in
      for place in bytes.indices { bytes[place] = UInt8(truncatingIfNeeded: place) }
    }
    // Alone, it needs no copy.
    try bitmap.makeUnique(pool: pool)
    let copy = bitmap
    let error = #expect(throws: ImageError.self) { try bitmap.makeUnique(pool: pool) }
    #expect(error?.message == "There is no memory to copy a bitmap of 250x200 that is about to change.")
    #expect(error?.code == .limitExceeded && error?.isExhaustion == true && bitmap == copy)
    try bitmap.makeUnique(pool: self.pool())
    #expect(bitmap == copy)
    bitmap.withUnsafeMutableBytes { $0[0] = 9 }
    #expect(bitmap != copy)
    #expect(throws: ImageError.self) { try Bitmap(unfilled: size, format: .rgba8, pool: pool) }
  }

  @Test(arguments: [Int.max, 1 << 47]) func whatNoMachineHasIsRefused(count: Int) {
    #expect(pool().buffer(ofAtLeast: count) == nil)
  }

  @Test func noMoreThanTheLimitWaitsAndTheOldestGoesFirst() {
    let pool = pool(limit: 300_000)
    var buffers = [70_000, 80_000, 90_000, 100_000, 110_000].map { pool.buffer(ofAtLeast: $0) }
    while !buffers.isEmpty {
      buffers.removeFirst()
      clock.advance(by: .milliseconds(1))
      #expect(pool.waitingBytes <= 300_000)
    }
    #expect(pool.waitingBytes >= 200_000)
  }

  @Test func ofEachSizeTheOneThatCameBackLastIsTakenFirst() {
    let pool = pool()
    var buffers = [100_000, 200_000, 100_000].map { pool.buffer(ofAtLeast: $0) }
    let addresses = buffers.map { $0?.bytes.baseAddress }
    while !buffers.isEmpty { buffers.removeFirst() }
    let again = [100_000, 100_000, 200_000].map { pool.buffer(ofAtLeast: $0) }
    #expect(again.map { $0?.bytes.baseAddress } == [addresses[2], addresses[0], addresses[1]])
    #expect(pool.waitingBytes == 0)
  }

  @Test func aSizeThatWasTakenAgainDoesNotStandInTheWayOfTheLimit() {
    let pool = pool(limit: 200_000)
    _ = pool.buffer(ofAtLeast: 70_000)
    let again = pool.buffer(ofAtLeast: 70_000)
    #expect(pool.waitingBytes == 0)
    var buffers = [pool.buffer(ofAtLeast: 120_000), pool.buffer(ofAtLeast: 180_000)]
    buffers.removeAll()
    #expect((1...200_000).contains(pool.waitingBytes))
    withExtendedLifetime(again) {}
  }

  @Test func whatIsLargerThanTheLimitIsNotKept() {
    let pool = pool(limit: 100_000)
    _ = pool.buffer(ofAtLeast: 500_000)
    #expect(pool.waitingBytes == 0)
  }

  @Test func whatWaitedTooLongIsGivenBack() {
    let pool = pool(idle: .seconds(5))
    _ = pool.buffer(ofAtLeast: 100_000)
    clock.advance(by: .seconds(3))
    _ = pool.buffer(ofAtLeast: 200_000)
    let both = pool.waitingBytes
    #expect(both >= 300_000)
    clock.advance(by: .seconds(2))
    #expect(pool.trimIdle())
    #expect((200_000..<both).contains(pool.waitingBytes))
    clock.advance(by: .seconds(3))
    #expect(!pool.trimIdle())
    #expect(pool.waitingBytes == 0)
  }

  @Test func everythingCanBeGivenBackAtOnce() {
    let pool = pool()
    _ = pool.buffer(ofAtLeast: 100_000)
    pool.removeAll()
    #expect(pool.waitingBytes == 0)
    #expect(pool.buffer(ofAtLeast: 100_000) != nil)
  }

  @Test func aBufferOutlivesItsPool() {
    var pool: BufferPool? = pool()
    let buffer = pool?.buffer(ofAtLeast: 100_000)
    pool = nil
    buffer?.bytes.storeBytes(of: 7, as: UInt8.self)
    #expect(buffer?.bytes[0] == 7)
  }

  @Test func manyTasksNeverShareABuffer() async {
    let pool = pool(limit: 400_000)
    await withTaskGroup(of: Bool.self) { group in
      for mark in UInt8(1)...8 {
        group.addTask {
          (0..<200).allSatisfy { round in
            guard let buffer = pool.buffer(ofAtLeast: 65_536 + round % 3 * 20_000) else { return false }
            buffer.bytes[0] = mark
            buffer.bytes[65_535] = mark
            return buffer.bytes[0] == mark && buffer.bytes[65_535] == mark
          }
        }
      }
      for await isAlone in group { #expect(isAlone) }
    }
    #expect(pool.waitingBytes <= 400_000)
  }
}
