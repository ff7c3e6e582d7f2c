/// Makes gzip files without a library: stored bytes, or a compressed run of null bytes.
public enum Gzip {
  static let headerLength = 10

  private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

  /// The bytes as a gzip file, without compression.
  public static func stored(_ bytes: [UInt8]) -> [UInt8] {
    header + deflated(bytes) + littleEndian(checksum(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// The bytes as HTTP's `deflate`, without compression: in zlib's frame, or without it as some servers send it.
  public static func deflated(_ bytes: [UInt8], isFramed: Bool) -> [UInt8] {
    guard isFramed else { return deflated(bytes) }
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return [0x78, 0x01] + deflated(bytes) + littleEndian(high << 16 | low).reversed()
  }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var blocks: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(0xffff)
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      blocks.append(rest.isEmpty ? 1 : 0)
      blocks += littleEndian(length) + littleEndian(~length) + block
    } while !rest.isEmpty
    return blocks
  }

  /// This many null bytes as a gzip file of about a thousandth of their size.
  public static func zeros(_ count: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0b1, 1)  // the last block
    bits.write(0b10, 2)  // with codes of its own
    writeCodes(&bits)
    // A literal comes first, because a match needs something to repeat. Then each match of 258 takes two bits, both 0.
    let matches = max(0, count - 1) / 258
    for _ in 0..<(count - matches * 258) { bits.write(0b01, 2) }
    bits.writeZeros(2 * matches)
    bits.write(0b11, 2)  // the end
    return header + bits.bytes + littleEndian(checksumOfZeros(count)) + littleEndian(UInt32(truncatingIfNeeded: count))
  }

  /// Declares the code lengths: code 285 (a match of 258) has one bit, the literal 0 and the end two, the distance 1
  /// one.
  private static func writeCodes(_ bits: inout BitWriter) {
    bits.write(286 - 257, 5)
    bits.write(1 - 1, 5)
    bits.write(18 - 4, 4)
    // The code lengths of the code lengths, in deflate's order: 18 (many zeros) in one bit, 1 and 2 in two.
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
      bits.write(symbol == 18 ? 1 : symbol <= 2 && symbol > 0 ? 2 : 0, 3)
    }
    let one = 0b01
    let two = 0b11
    func zeros(_ count: Int) {
      bits.write(0b0, 1)
      bits.write(count - 11, 7)
    }
    bits.write(two, 2)  // 0
    zeros(138)  // 1 to 255
    zeros(117)
    bits.write(two, 2)  // 256, the end
    zeros(28)  // 257 to 284
    bits.write(one, 2)  // 285
    bits.write(one, 2)  // the distance 1
  }

  /// The CRC-32 of gzip.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var state = ~UInt32(0)
    for byte in bytes { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8) }
    return ~state
  }

  /// The CRC-32 of null bytes.
  ///
  /// Each byte multiplies the state by the same power, so the count's bits give the steps.
  static func checksumOfZeros(_ count: Int) -> UInt32 {
    var power = UInt32(1) << (31 - 8)
    var state = ~UInt32(0)
    var rest = count
    while rest > 0 {
      if rest & 1 == 1 { state = product(state, power) }
      power = product(power, power)
      rest >>= 1
    }
    return ~state
  }

  /// The product of two polynomials over GF(2), whose highest bit stands for 1, modulo the polynomial of the checksum.
  private static func product(_ left: UInt32, _ right: UInt32) -> UInt32 {
    var result: UInt32 = 0
    var factor = right
    for bit in (0..<32).reversed() {
      if left >> UInt32(bit) & 1 == 1 { result ^= factor }
      factor = factor & 1 == 1 ? (factor >> 1) ^ polynomial : factor >> 1
    }
    return result
  }

  private static let polynomial: UInt32 = 0xedb8_8320

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? (value >> 1) ^ polynomial : value >> 1 }
  }

  private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  /// Writes bits in deflate's order: the lowest of each byte first.
  private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 8

    mutating func write(_ value: Int, _ count: Int) {
      for bit in 0..<count {
        if used == 8 {
          bytes.append(0)
          used = 0
        }
        bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(used)
        used += 1
      }
    }

    mutating func writeZeros(_ count: Int) {
      guard count > 0 else { return }
      let total = used + count
      bytes += [UInt8](repeating: 0, count: (total - 1) / 8)
      used = (total - 1) % 8 + 1
    }
  }
}
