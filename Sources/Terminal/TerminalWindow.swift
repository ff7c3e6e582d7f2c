import EaselCore
import Glibc

/// How much room a terminal has.
public struct TerminalWindow: Hashable, Sendable {
  /// The number of cells in a row.
  public var columns: Int
  /// The number of rows.
  public var rows: Int
  /// The pixels of a cell.
  public var cell: PixelSize

  /// What most fonts come near to, for terminals that do not say.
  public static let usualCell = PixelSize(width: 8, height: 16)

  /// Creates a window.
  public init(columns: Int = 80, rows: Int = 24, cell: PixelSize = TerminalWindow.usualCell) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    self.cell = cell.isEmpty ? Self.usualCell : cell
  }

  /// Asks the system about the terminal behind a file; nil when it is none.
  public init?(of file: Int32) {
    var size = winsize()
    guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    let (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    self.init(
      columns: columns, rows: rows,
      cell: PixelSize(width: Int(size.ws_xpixel) / columns, height: Int(size.ws_ypixel) / rows))
  }

  /// The most pixels that a picture may have so that it can be seen at once, with a row left for what follows.
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
