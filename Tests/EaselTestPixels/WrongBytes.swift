/// Copies of a file in which one byte is wrong, for each byte of the file.
///
/// In a long run each byte is wrong in each way. Otherwise it is wrong in one way, and its neighbours are in others.
package struct WrongBytes: Sequence, IteratorProtocol {
  private static let ways: [UInt8] = [0x01, 0x10, 0x80, 0xFF]

  private let bytes: [UInt8]
  private let places: [Int]
  private var count = 0

  /// Creates the copies of these bytes.
  ///
  /// With a turn, only the bytes at ``PlacesInTurn`` are wrong.
  package init(of bytes: [UInt8], turn: Int? = nil) {
    self.bytes = bytes
    places = turn.map { Array(PlacesInTurn(upTo: bytes.count, turn: $0)) } ?? Array(bytes.indices)
  }

  package mutating func next() -> [UInt8]? {
    let ways = Self.ways
    let index = LongRun.isOn ? count / ways.count : count
    guard index < places.count else { return nil }
    var copy = bytes
    copy[places[index]] ^= ways[LongRun.isOn ? count % ways.count : places[index] % ways.count]
    count += 1
    return copy
  }
}
