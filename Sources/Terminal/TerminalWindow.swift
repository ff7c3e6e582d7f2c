import EaselCore
import Glibc

/// The size of a terminal in cells and pixels.
public struct TerminalWindow: Hashable, Sendable {
  /// The number of cells in a row.
  public var columns: Int
  /// The number of rows.
  public var rows: Int
  /// The size of a cell in pixels.
  public var cell: PixelSize

  /// A size close to that of most fonts, for terminals that do not report the size of a cell.
  public static let usualCell = PixelSize(width: 8, height: 16)

  /// Takes the columns, the rows and the size of a cell in pixels; by default 80 columns and 24 rows.
  public init(columns: Int = 80, rows: Int = 24, cell: PixelSize = TerminalWindow.usualCell) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    self.cell = cell.isEmpty ? Self.usualCell : cell
  }

  /// Asks the system for the size of the terminal behind a file; nil if the file is not a terminal.
  public init?(of file: Int32) {
    var size = winsize()
    guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    let (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    self.init(
      columns: columns, rows: rows,
      cell: PixelSize(width: Int(size.ws_xpixel) / columns, height: Int(size.ws_ypixel) / rows))
  }

  /// The size of the largest picture that is visible at once, with one free row below it.
  public func box(for graphics: TerminalGraphics) -> PixelSize {
    let rows = max(1, rows - 1)
    return switch graphics {
    case .kitty, .sixel: PixelSize(width: columns * cell.width, height: rows * cell.height)
    case .blocks: PixelSize(width: columns, height: rows * 2)
    case .shades: PixelSize(width: columns, height: rows * 2)
    }
  }

  /// The rows of cells that a picture of this size covers.
  public func rows(of size: PixelSize, in graphics: TerminalGraphics) -> Int {
    let height = graphics == .kitty || graphics == .sixel ? cell.height : 2
    return (size.height + height - 1) / height
  }
}
