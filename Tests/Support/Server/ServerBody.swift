/// Bytes in which no two places within 64 KiB look alike, so that a body with a missing piece does not pass for whole.
public enum ServerBody {
  // The length is prime, so that the pattern never aligns with buffers.
  private static let pattern: [UInt8] = {
    var random = SeededRandom(seed: 0x5eed)
    return (0..<65_521).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
  }()

  /// The first bytes of an endless body.
  public static func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += pattern.prefix(count - bytes.count) }
    return bytes
  }
}
