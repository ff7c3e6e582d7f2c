import EaselCoding
import EaselCore

/// The composition of a picture: one coded picture, or cells of equal size in rows.
struct HEIFLayout {
  /// The size of the whole picture.
  let size: PixelSize
  let columns: Int
  let rows: Int
  /// The cells, row by row; a single cell is the whole picture.
  let cells: [HEIFCell]

  var cellSize: PixelSize { cells[0].sequence.size }
  var sequence: HEVCSequence { cells[0].sequence }
  var isGrid: Bool { cells.count > 1 || cellSize != size }
}

/// A picture that is coded by itself.
struct HEIFCell {
  /// The place of the cell's bytes.
  enum Source: CustomStringConvertible {
    case item(Int)
    /// A part of the file that begins with the first picture of a sequence.
    case sequence(Range<Int>)

    var description: String {
      switch self {
      case .item(let number): "item \(number)"
      case .sequence: "the sequence"
      }
    }
  }

  let source: Source
  /// The parameters of the coding, which the decoder needs to understand the bytes.
  let parameters: [HEVCUnit]
  let sequence: HEVCSequence
  /// The number of bytes in which each unit states its length.
  let lengthBytes: Int
}

/// The numbers of a grid.
///
/// The file states only the number of cells and the size of the whole.
struct HEIFGrid {
  let columns: Int
  let rows: Int
  let size: PixelSize

  /// Reads the bytes of a grid's item; nil if there are too few bytes, or if the version is unknown.
  init?(_ bytes: MediaBytes) {
    guard bytes.number(at: 0, bytes: 1) == 0, let flags = bytes.number(at: 1, bytes: 1),
      let rows = bytes.number(at: 2, bytes: 1),
      let columns = bytes.number(at: 3, bytes: 1)
    else { return nil }
    let width = flags & 1 == 0 ? 2 : 4
    guard let across = bytes.number(at: 4, bytes: width), let down = bytes.number(at: 4 + width, bytes: width) else {
      return nil
    }
    self.columns = columns + 1
    self.rows = rows + 1
    size = PixelSize(width: across, height: down)
  }
}
