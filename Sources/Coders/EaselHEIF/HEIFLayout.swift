import EaselCoding
import EaselCore

/// How a picture is put together: one coded picture, or cells of equal size in rows.
struct HEIFLayout {
  /// The size of the whole.
  let size: PixelSize
  let columns: Int
  let rows: Int
  /// The cells, row by row; one cell is the whole.
  let cells: [HEIFCell]

  var cellSize: PixelSize { cells[0].sequence.size }
  var sequence: HEVCSequence { cells[0].sequence }
  var isGrid: Bool { cells.count > 1 || cellSize != size }
}

/// A picture that is coded by itself.
struct HEIFCell {
  /// The place of its bytes.
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
  /// The parameters, without which its bytes mean nothing.
  let parameters: [HEVCUnit]
  let sequence: HEVCSequence
  /// The bytes in which each unit states its length.
  let lengthBytes: Int
}

/// The numbers of a grid, of which the file only says how many cells it has and how large the whole is.
struct HEIFGrid {
  let columns: Int
  let rows: Int
  let size: PixelSize

  /// Reads the bytes of a grid's item; nil if they are too few, or of another version.
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
