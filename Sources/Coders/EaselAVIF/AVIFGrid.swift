import EaselCoding
import EaselCore

/// A grid of cells, in the order that libavif uses.
///
/// libavif 0.11 shows the cells in the order in which the tables of the file first name them. It ignores the order in
/// which the grid lists them.
struct AVIFGrid {
  /// The items of the cells, row by row.
  let cells: [Int]
  private let reference: MediaItems.Reference
  private let items: MediaItems
  private let bytes: MediaBytes

  /// Returns nil if the item is not a grid.
  init?(_ item: Int, of items: MediaItems, _ bytes: MediaBytes) {
    guard items.items[item]?.kind == "grid",
      let reference = items.references.first(where: { $0.kind == "dimg" && $0.from == item }), !reference.to.isEmpty
    else { return nil }
    (cells, self.reference, self.items, self.bytes) = (reference.to, reference, items, bytes)
  }

  /// The replacements with which libavif shows some items as the cells, row by row.
  ///
  /// The items exchange the entries about their places, and the grid lists them in the order of the tables. Every
  /// version of libavif then shows the same picture.
  func patches(showing shown: [Int]) -> [(offset: Int, bytes: [UInt8])] {
    let (ranks, places) = (items.ranks, items.entries)
    let sorted = shown.sorted { ranks[$0, default: 0] < ranks[$1, default: 0] }
    let isSimple =
      Set(shown).count == shown.count && shown.allSatisfy { places[$0]?.count == places[shown[0]]?.count }
      && shown.allSatisfy { places[$0] != nil }
    let listed = isSimple ? sorted : shown
    var patches: [(offset: Int, bytes: [UInt8])] = []
    for (index, item) in listed.enumerated() where reference.to.count > index && reference.to[index] != item {
      let number = (0..<reference.width).reversed().map { UInt8(truncatingIfNeeded: item >> (8 * $0)) }
      patches.append((reference.place + reference.width * index, number))
    }
    for (item, cell) in zip(listed, shown) where item != cell {
      guard let target = places[item], let source = places[cell], let content = bytes.bytes(in: source) else {
        continue
      }
      patches.append((target.lowerBound, Array(content)))
    }
    return patches
  }
}

extension [MediaBox] {
  /// True if one of these boxes states the code points of colours.
  func hasCodePoints(_ bytes: MediaBytes) -> Bool {
    contains { $0.kind == "colr" && bytes.kind(at: $0.content) == "nclx" }
  }
}
