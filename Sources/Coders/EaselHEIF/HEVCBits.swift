import EaselCore

/// Reads numbers from an HEVC unit bit by bit, and skips the bytes that prevent false start codes.
struct HEVCBits {
  /// The unit ends within its numbers, or a number is not allowed by the format.
  struct Failure: Error {}

  private let bytes: UnsafeRawBufferPointer
  private var place: Int
  private var zeros = 0
  private var byte: UInt8 = 0
  private var left = 0

  /// Begins after the unit's head of two bytes.
  init(_ unit: UnsafeRawBufferPointer) {
    bytes = unit
    place = 2
  }

  mutating func bit() throws(Failure) -> Int {
    if left == 0 {
      if zeros >= 2, place < bytes.count, bytes[place] == 3 {
        place += 1
        zeros = 0
      }
      guard place < bytes.count else { throw Failure() }
      byte = bytes[place]
      zeros = byte == 0 ? zeros + 1 : 0
      place += 1
      left = 8
    }
    left -= 1
    return Int(byte >> UInt8(left)) & 1
  }

  mutating func flag() throws(Failure) -> Bool { try bit() == 1 }

  /// A number of up to 32 bits.
  mutating func number(_ count: Int) throws(Failure) -> Int {
    var value = 0
    for _ in 0..<count { value = try value << 1 | bit() }
    return value
  }

  mutating func skip(_ count: Int) throws(Failure) { for _ in 0..<count { _ = try bit() } }

  /// A number of variable length; throws if it exceeds `most`.
  mutating func coded(most: Int) throws(Failure) -> Int {
    var zeros = 0
    while try bit() == 0 {
      zeros += 1
      guard zeros <= 31 else { throw Failure() }
    }
    let value = try (1 << zeros) - 1 + number(zeros)
    guard value <= most else { throw Failure() }
    return value
  }

  /// A signed number of variable length; throws if it exceeds `most`.
  mutating func signed(most: Int) throws(Failure) -> Int {
    let value = try coded(most: 2 * most + 1)
    return value % 2 == 0 ? -(value / 2) : (value + 1) / 2
  }
}
