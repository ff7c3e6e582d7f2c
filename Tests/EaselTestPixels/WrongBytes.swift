import FoundationEssentials

/// Copies of a file in which one byte is wrong, for each byte of the file.
///
/// In a long run each byte is wrong in each way. Otherwise it is wrong in one way, and its neighbours are in others.
package struct WrongBytes: Sequence, IteratorProtocol {
  private static let ways: [UInt8] = [0x01, 0x10, 0x80, 0xFF]
  private static let isLongRun = ProcessInfo.processInfo.environment["EASEL_LONG_RUN"] != nil

  private let bytes: [UInt8]
  private var count = 0

  /// Creates the copies of these bytes.
  package init(of bytes: [UInt8]) { self.bytes = bytes }

  package mutating func next() -> [UInt8]? {
    let ways = Self.ways
    let place = Self.isLongRun ? count / ways.count : count
    guard place < bytes.count else { return nil }
    var copy = bytes
    copy[place] ^= ways[count % ways.count]
    count += 1
    return copy
  }
}
