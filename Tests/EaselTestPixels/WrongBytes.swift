import FoundationEssentials

/// Copies of a file in which one byte is wrong, for each byte of the file and each way to be wrong.
///
/// Of a file of more than a thousand bytes, most of which are pixels, each byte is wrong in one way, and its neighbours
/// in others, except in a long run. So it is with every file under a sanitizer, which makes decoding several times slower.
package struct WrongBytes: Sequence, IteratorProtocol {
  private static let ways: [UInt8] = [0x01, 0x10, 0x80, 0xFF]
  private static let isSanitized = ProcessInfo.processInfo.environment["EASEL_SANITIZER"] != nil
  private static let isLongRun = ProcessInfo.processInfo.environment["EASEL_LONG_RUN"] != nil

  private let bytes: [UInt8]
  private var count = 0

  /// Creates the copies of these bytes.
  package init(of bytes: [UInt8]) { self.bytes = bytes }

  private var takesTurns: Bool { Self.isSanitized || bytes.count > 1000 && !Self.isLongRun }

  package mutating func next() -> [UInt8]? {
    let ways = Self.ways
    let place = takesTurns ? count : count / ways.count
    guard place < bytes.count else { return nil }
    var copy = bytes
    copy[place] ^= ways[count % ways.count]
    count += 1
    return copy
  }
}
