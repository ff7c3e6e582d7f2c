import EaselCoding
import EaselCore

/// A table of colours, with the channels that the table makes from components.
struct JPEG2000Palette {
  /// The source of a channel: a component itself, or the table column in which the component's samples are indices.
  struct Mapping: Hashable {
    var component: Int
    var column: Int?
  }

  /// The numbers of each column.
  let columns: [[Int]]
  let depths: [Int]
  let mappings: [Mapping]

  private static let mostEntries = 1024

  init(_ bytes: MediaBytes, box: MediaBox, mapping: MediaBox?) throws(ImageError) {
    guard let count = bytes.number(at: box.content, bytes: 2), (1...Self.mostEntries).contains(count),
      let columnCount = bytes.number(at: box.content + 2, bytes: 1), columnCount > 0
    else { throw .bad("JPEG 2000", "the palette has no colours, or more than \(Self.mostEntries)") }
    var depths: [Int] = []
    for column in 0..<columnCount {
      guard let depth = bytes.number(at: box.content + 3 + column, bytes: 1), depth < 16 else {
        throw .unsupportedJPEG2000("palettes of signed colours, or of more than 16 bits, are not read")
      }
      depths.append(depth + 1)
    }
    var columns = [[Int]](repeating: [], count: columnCount)
    var place = box.content + 3 + columnCount
    for _ in 0..<count {
      for column in 0..<columnCount {
        let length = depths[column] > 8 ? 2 : 1
        guard place + length <= box.end, let value = bytes.number(at: place, bytes: length) else {
          throw .bad("JPEG 2000", "the palette is cut off")
        }
        columns[column].append(value)
        place += length
      }
    }
    guard let mapping else { throw .bad("JPEG 2000", "the palette is of no use, because no channels are made of it") }
    let mappings = stride(from: mapping.content, to: mapping.end - 3, by: 4).compactMap { place -> Mapping? in
      guard let component = bytes.number(at: place, bytes: 2), let kind = bytes.number(at: place + 2, bytes: 1),
        let column = bytes.number(at: place + 3, bytes: 1)
      else { return nil }
      return Mapping(component: component, column: kind == 1 ? column : nil)
    }
    guard mappings.allSatisfy({ $0.column.map { columns.indices.contains($0) } ?? true }) else {
      throw .bad("JPEG 2000", "a channel is made of a column that the palette does not have")
    }
    (self.columns, self.depths, self.mappings) = (columns, depths, mappings)
  }
}
