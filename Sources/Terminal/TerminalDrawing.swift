import EaselCore
import EaselPixels

/// A picture as a terminal takes it.
public struct TerminalDrawing: Sendable {
  /// What to write; the cursor is at the beginning of the row below the picture afterwards.
  public let bytes: [UInt8]
  /// The rows of cells that it covers.
  public let rows: Int

  /// Draws a picture that fits the window already.
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

  /// What takes the cursor back to the beginning of the picture, for the next frame.
  public var rewinding: [UInt8] { Array("\r\u{1B}[\(rows)A".utf8) }
}

extension TerminalWindow {
  /// The columns of cells that a picture of so many pixels covers.
  fileprivate func columns(of size: PixelSize) -> Int { (size.width + cell.width - 1) / cell.width }
}

extension Bitmap {
  /// Calls `body` with the pixels of a bitmap of straight RGBA, 8 bits each: column and row give red, green, blue, alpha.
  func withPixels<Result>(_ body: ((Int, Int) -> (UInt8, UInt8, UInt8, UInt8)) -> Result) -> Result {
    withUnsafeBytes { bytes in
      body { x, y in
        let start = y * bytesPerRow + x * 4
        return (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
      }
    }
  }
}
