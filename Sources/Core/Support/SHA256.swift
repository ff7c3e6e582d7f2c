/// The hash of FIPS 180-4, for names that must not collide by accident or by intent.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var pending: [UInt8] = []
  private var total: UInt64 = 0

  package init() {
    pending.reserveCapacity(64)
  }

  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      pending.append(byte)
      total += 1
      if pending.count == 64 {
        compress()
        pending.removeAll(keepingCapacity: true)
      }
    }
  }

  package mutating func finish() -> [UInt8] {
    let bits = total * 8
    var padding: [UInt8] = [0x80]
    let used = (pending.count + 1) % 64
    padding += [UInt8](repeating: 0, count: used <= 56 ? 56 - used : 120 - used)
    padding += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    update(padding)
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }

  private mutating func compress() {
    var schedule = [UInt32](repeating: 0, count: 64)
    for i in 0..<16 {
      let high = UInt32(pending[4 * i]) << 24 | UInt32(pending[4 * i + 1]) << 16
      schedule[i] = high | UInt32(pending[4 * i + 2]) << 8 | UInt32(pending[4 * i + 3])
    }
    for i in 16..<64 {
      let a = schedule[i - 15]
      let b = schedule[i - 2]
      let s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)
      let s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10)
      schedule[i] = schedule[i - 16] &+ s0 &+ schedule[i - 7] &+ s1
    }
    var v = state
    for i in 0..<64 {
      let sum1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)
      let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
      let first = v[7] &+ sum1 &+ choice &+ Self.constants[i] &+ schedule[i]
      let sum0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)
      let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
      let second = sum0 &+ majority
      v[7] = v[6]
      v[6] = v[5]
      v[5] = v[4]
      v[4] = v[3] &+ first
      v[3] = v[2]
      v[2] = v[1]
      v[1] = v[0]
      v[0] = first &+ second
    }
    for i in 0..<8 { state[i] = state[i] &+ v[i] }
  }

  private func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

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

  /// The largest `r` with `r³ <= prime * 2^96`, less its whole part: integers, since a double is a few bits short.
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

/// The lower-case hexadecimal digits of bytes.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}
