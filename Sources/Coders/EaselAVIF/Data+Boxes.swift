import EaselCoding
import FoundationEssentials

/// Changes a file that libavif wrote. All offsets refer to the file before it grows.
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

  /// Moves the places of items that begin at `start` or later.
  ///
  /// Returns false unless the box has the form in which libavif writes it: numbers of four bytes, without a base.
  mutating func moveItems(in box: MediaBox, _ bytes: MediaBytes, by growth: Int, from start: Int) -> Bool {
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

  /// Moves the places of all items and samples that begin at `start` or later.
  ///
  /// Returns false unless all tables have the form in which libavif writes them.
  mutating func moveEverything(_ bytes: MediaBytes, by growth: Int, from start: Int) -> Bool {
    let boxes = bytes.boxes(in: 0..<bytes.count)
    let tracks = boxes.first("moov").map { bytes.boxes(in: $0.body()) }?.filter { $0.kind == "trak" } ?? []
    for meta in [boxes.first("meta")] + tracks.map({ bytes.boxes(in: $0.body()).first("meta") }) {
      guard let meta, let places = bytes.boxes(in: meta.body(isFull: true)).first("iloc") else { continue }
      guard moveItems(in: places, bytes, by: growth, from: start) else { return false }
    }
    for track in tracks {
      guard let places = bytes.path(["mdia", "minf", "stbl", "stco"], in: track).last,
        let count = bytes.number(at: places.content + 4, bytes: 4), 8 + 4 * count <= places.end - places.content
      else { return false }
      for index in 0..<count {
        let place = places.content + 8 + 4 * index
        guard let offset = bytes.number(at: place, bytes: 4) else { return false }
        if offset >= start { add(growth, at: place) }
      }
    }
    return true
  }
}
