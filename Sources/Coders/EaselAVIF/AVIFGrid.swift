import EaselCoding
import EaselCore

/// A grid of cells as libavif sees it.
///
/// libavif 0.11 shows the cells in the order in which the tables of the file name them first, whatever the order in which
/// the grid lists them.
struct AVIFGrid {
  /// The items of the cells, row by row.
  let cells: [Int]
  private let reference: MediaItems.Reference
  private let bytes: MediaBytes
  /// The number of each item among those that the tables name.
  private var ranks: [Int: Int] = [:]
  /// The part of the table of places that is about each item, after its number.
  private var places: [Int: Range<Int>] = [:]

  /// Reads the tables of `meta`, the box that describes the items; nil if the item is no grid.
  init?(_ item: Int, of items: MediaItems, in meta: MediaBox, _ bytes: MediaBytes) {
    guard items.items[item]?.kind == "grid",
      let reference = items.references.first(where: { $0.kind == "dimg" && $0.from == item }), !reference.to.isEmpty
    else { return nil }
    (cells, self.reference, self.bytes) = (reference.to, reference, bytes)
    // Of each table the first counts.
    var seen: Set<MediaBox.Kind> = []
    for box in bytes.boxes(in: meta.body(isFull: true)) where seen.insert(box.kind).inserted {
      switch box.kind {
      case "iloc": readPlaces(box)
      case "iprp": for links in bytes.boxes(in: box.body()) where links.kind == "ipma" { readLinks(links) }
      case "iinf": readKinds(box)
      case "iref": for reference in items.references { for item in reference.to { note(item) } }
      default: break
      }
    }
  }

  /// The bytes in place of others with which libavif shows some items as the cells, row by row.
  ///
  /// The items trade what is said of their places, and the grid lists them in the order of the tables, so that any libavif
  /// shows the same.
  func patches(showing items: [Int]) -> [(offset: Int, bytes: [UInt8])] {
    let sorted = items.sorted { ranks[$0, default: 0] < ranks[$1, default: 0] }
    let isSimple =
      Set(items).count == items.count && items.allSatisfy { places[$0]?.count == places[items[0]]?.count }
      && items.allSatisfy { places[$0] != nil }
    let listed = isSimple ? sorted : items
    var patches: [(offset: Int, bytes: [UInt8])] = []
    for (index, item) in listed.enumerated() where reference.to.count > index && reference.to[index] != item {
      let number = (0..<reference.width).reversed().map { UInt8(truncatingIfNeeded: item >> (8 * $0)) }
      patches.append((reference.place + reference.width * index, number))
    }
    for (item, shown) in zip(listed, items) where item != shown {
      guard let target = places[item], let source = places[shown], let content = bytes.bytes(in: source) else {
        continue
      }
      patches.append((target.lowerBound, Array(content)))
    }
    return patches
  }

  private mutating func note(_ item: Int) { if ranks[item] == nil { ranks[item] = ranks.count } }

  private mutating func readPlaces(_ box: MediaBox) {
    guard let version = bytes.number(at: box.content, bytes: 1), let sizes = bytes.number(at: box.content + 4, bytes: 2)
    else { return }
    let idBytes = version < 2 ? 2 : 4
    let indexBytes = version > 0 ? sizes & 15 : 0
    let extentBytes = indexBytes + (sizes >> 12 & 15) + (sizes >> 8 & 15)
    // A way of construction, a number of another file, and a base stand before the number of extents.
    let fixedBytes = (version > 0 ? 2 : 0) + 2 + (sizes >> 4 & 15)
    guard let count = bytes.number(at: box.content + 6, bytes: idBytes) else { return }
    var place = box.content + 6 + idBytes
    for _ in 0..<count {
      let start = place + idBytes
      guard let item = bytes.number(at: place, bytes: idBytes),
        let extents = bytes.number(at: start + fixedBytes, bytes: 2)
      else { return }
      let end = start + fixedBytes + 2 + extents * extentBytes
      guard end <= box.end else { return }
      note(item)
      if places[item] == nil { places[item] = start..<end }
      place = end
    }
  }

  private mutating func readLinks(_ box: MediaBox) {
    guard let version = bytes.number(at: box.content, bytes: 1),
      let flags = bytes.number(at: box.content + 1, bytes: 3),
      let count = bytes.number(at: box.content + 4, bytes: 4)
    else { return }
    let idBytes = version < 1 ? 2 : 4
    var place = box.content + 8
    for _ in 0..<count {
      guard let item = bytes.number(at: place, bytes: idBytes),
        let links = bytes.number(at: place + idBytes, bytes: 1), place < box.end
      else { return }
      note(item)
      place += idBytes + 1 + links * (flags & 1 == 0 ? 1 : 2)
    }
  }

  private mutating func readKinds(_ box: MediaBox) {
    let start = box.content + (bytes.number(at: box.content, bytes: 1) == 0 ? 6 : 8)
    guard start <= box.end else { return }
    for entry in bytes.boxes(in: start..<box.end) where entry.kind == "infe" {
      let idBytes = bytes.number(at: entry.content, bytes: 1) == 3 ? 4 : 2
      if let item = bytes.number(at: entry.content + 4, bytes: idBytes) { note(item) }
    }
  }
}

extension [MediaBox] {
  /// True if one of these boxes states the code points of colours.
  func hasCodePoints(_ bytes: MediaBytes) -> Bool {
    contains { $0.kind == "colr" && bytes.kind(at: $0.content) == "nclx" }
  }
}
