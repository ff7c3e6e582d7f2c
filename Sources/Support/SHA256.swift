/// The SHA-256 hash of FIPS 180-4, for names that must not collide, even if someone tries to make them.
package struct SHA256 {
  private var state: SIMD8<UInt32> = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes of the last block, which is not complete yet.
  private var pending = SIMD64<UInt8>()
  private var pendingCount = 0
  private var total: UInt64 = 0

  package init() {}

  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    if bytes.withContiguousStorageIfAvailable({ take($0) }) != nil { return }
    for byte in bytes { withUnsafeBytes(of: byte) { take($0.assumingMemoryBound(to: UInt8.self)) } }
  }

  /// Adds bytes to the hash.
  ///
  /// Whole blocks are read where they are, because the input may be megabytes long.
  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    total += UInt64(bytes.count)
    var rest = bytes[...]
    if pendingCount > 0 {
      let missing = rest.prefix(64 - pendingCount)
      keep(missing)
      rest = rest.dropFirst(missing.count)
      guard pendingCount == 64 else { return }
      withUnsafeBytes(of: pending) { compress($0.assumingMemoryBound(to: UInt8.self)) }
      pendingCount = 0
    }
    let blocks = rest.prefix(rest.count & ~63)
    compress(UnsafeBufferPointer(rebasing: blocks))
    keep(rest.dropFirst(blocks.count))
  }

  private mutating func keep(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    let place = pendingCount
    withUnsafeMutableBytes(of: &pending) { room in
      UnsafeMutableRawBufferPointer(rebasing: room[place...]).copyMemory(
        from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes)))
    }
    pendingCount += bytes.count
  }

  package mutating func finish() -> [UInt8] {
    let bits = total * 8
    let used = (pendingCount + 1) % 64
    let zeros = used <= 56 ? 56 - used : 120 - used
    withUnsafeTemporaryAllocation(byteCount: 1 + zeros + 8, alignment: 1) { padding in
      _ = padding.initializeMemory(as: UInt8.self, repeating: 0)
      padding[0] = 0x80
      padding.storeBytes(of: bits.bigEndian, toByteOffset: 1 + zeros, as: UInt64.self)
      take(UnsafeBufferPointer(padding.assumingMemoryBound(to: UInt8.self)))
    }
    return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      let room = UnsafeMutableRawBufferPointer(digest)
      for index in 0..<8 { room.storeBytes(of: state[index].bigEndian, toByteOffset: 4 * index, as: UInt32.self) }
      count = 32
    }
  }

  private mutating func compress(_ blocks: UnsafeBufferPointer<UInt8>) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      Self.constants.withUnsafeBufferPointer { constants in
        var place = 0
        while place < blocks.count {
          Self.fill(
            schedule, from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(blocks)[place..<place + 64]))
          mix(schedule, constants)
          place += 64
        }
      }
    }
  }

  private static func fill(_ schedule: UnsafeMutableBufferPointer<UInt32>, from block: UnsafeRawBufferPointer) {
    for i in 0..<16 { schedule[i] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self)) }
    for i in 16..<64 {
      let a = schedule[i - 15]
      let b = schedule[i - 2]
      let s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)
      let s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10)
      schedule[i] = schedule[i - 16] &+ s0 &+ schedule[i - 7] &+ s1
    }
  }

  private mutating func mix(
    _ schedule: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for i in 0..<64 {
      let sum1 = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
      let choice = (e & f) ^ (~e & g)
      let first = h &+ sum1 &+ choice &+ constants[i] &+ schedule[i]
      let sum0 = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
    }
    state &+= SIMD8(a, b, c, d, e, f, g, h)
  }

  private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word &>> bits | word &<< (32 &- bits)
  }

  // The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < 64 {
      if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map(fractionOfCubeRoot)
  }()

  /// The largest `r` with `r³ <= prime * 2^96`, without its integer part.
  ///
  /// It uses integers, because a `Double` has a few bits too few.
  private static func fractionOfCubeRoot(_ prime: UInt64) -> UInt32 {
    var low: UInt64 = 0
    var high: UInt64 = 8 << 32
    while high - low > 1 {
      let middle = (low + high) / 2
      if isCube(of: middle, atMost: prime) { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }

  private static func isCube(of root: UInt64, atMost prime: UInt64) -> Bool {
    let root = UInt128(root)
    return root * root * root <= UInt128(prime) << 96
  }
}

/// Returns the lower-case hexadecimal digits of bytes.
package func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
  // Other modules call this unspecialised, and each step of a loop would call a witness; the rest is therefore
  // concrete.
  bytes.withContiguousStorageIfAvailable(digits) ?? Array(bytes).withUnsafeBufferPointer(digits)
}

private func digits(of bytes: UnsafeBufferPointer<UInt8>) -> String {
  func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
  return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
    for (index, byte) in bytes.enumerated() {
      text[2 * index] = digit(byte >> 4)
      text[2 * index + 1] = digit(byte & 15)
    }
    return 2 * bytes.count
  }
}
