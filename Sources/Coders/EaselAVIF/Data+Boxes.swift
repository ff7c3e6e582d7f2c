import FoundationEssentials

/// Changes to a file that libavif wrote, at places that are counted in the file before it grows.
extension Data {
  /// Adds to a number that is stored with its highest byte first.
  mutating func add(_ value: Int, at place: Int, bytes count: Int = 4) {
    var carry = value
    for index in (0..<count).reversed() {
      carry += Int(self[startIndex + place + index])
      self[startIndex + place + index] = UInt8(truncatingIfNeeded: carry)
      carry >>= 8
    }
  }

  /// Moves the places of items that begin at an offset or later.
  ///
  /// Returns false unless the box has the form in which libavif writes it: numbers of four bytes without a base.
  mutating func moveItems(in box: AVIFBox, _ bytes: AVIFBytes, by growth: Int, from start: Int) -> Bool {
    guard bytes.number(at: box.content, bytes: 6) == 0x4400, let count = bytes.number(at: box.content + 6, bytes: 2)
    else { return false }
    var place = box.content + 8
    for _ in 0..<count {
      guard let extents = bytes.number(at: place + 4, bytes: 2) else { return false }
      place += 6
      for _ in 0..<extents {
        guard let offset = bytes.number(at: place, bytes: 4), place + 8 <= box.end else { return false }
        if offset >= start { add(growth, at: place) }
        place += 8
      }
    }
    return true
  }
}
