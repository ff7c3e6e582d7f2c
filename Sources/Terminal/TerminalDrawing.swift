import EaselCore
import EaselPixels

/// A picture encoded for a terminal.
public struct TerminalDrawing: Sendable {
  /// The bytes to write; they leave the cursor at the start of the row below the picture.
  public let bytes: [UInt8]
  /// The rows of cells that the picture covers.
  public let rows: Int

  /// Encodes a picture, which must already fit the window.
  public init(
    _ bitmap: Bitmap, in window: TerminalWindow, by graphics: TerminalGraphics, work: WorkContext = WorkContext()
  ) throws(ImageError) {
    let pixels = try bitmap.converted(to: .rgba8, work: work)
    rows = window.rows(of: bitmap.size, in: graphics)
    bytes =
      switch graphics {
      case .kitty: KittyEncoder.encode(pixels, columns: window.columns(of: bitmap.size), rows: rows)
      case .sixel: SixelEncoder.encode(pixels) + Array("\n".utf8)
      case .blocks: HalfBlockEncoder.encode(pixels)
      case .shades: ShadeEncoder.encode(pixels)
      }
  }

  /// The bytes that move the cursor back to the start of the picture, for the next frame.
  public var rewinding: [UInt8] { Array("\r\u{1B}[\(rows)A".utf8) }
}

extension TerminalWindow {
  /// The columns of cells that a picture of this size covers.
  fileprivate func columns(of size: PixelSize) -> Int { (size.width + cell.width - 1) / cell.width }
}

extension Bitmap {
  /// Calls `body` with a function that returns red, green, blue and alpha of the pixel in a column and a row.
  ///
  /// The bitmap must be straight RGBA with 8 bits.
  func withPixels<Result>(_ body: ((Int, Int) -> (UInt8, UInt8, UInt8, UInt8)) -> Result) -> Result {
    withUnsafeBytes { bytes in
      body { x, y in
        let start = y * bytesPerRow + x * 4
        return (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
      }
    }
  }
}
