import EaselCore
import EaselPixels

/// Makes the corners of a picture transparent outside quarters of an ellipse.
struct EllipticCorners: Transformer {
  /// The radius along the horizontal sides.
  let horizontally: Int
  /// The radius along the vertical sides.
  let vertically: Int

  /// `EllipticCorners({horizontally,vertically})`.
  var cacheKey: String { "EllipticCorners({\(horizontally),\(vertically)})" }

  /// The lines in each row of pixels at which the ellipse is looked at, so that its edge is smooth.
  private static let linesPerRow = 4

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    Image(try image.bitmap.overlaid(with: mask(of: image.size, work), x: 0, y: 0, mode: .destinationIn, work: work))
  }

  /// White pixels, as opaque as the picture stays.
  private func mask(of size: PixelSize, _ work: WorkContext) throws -> Bitmap {
    // Radii of more than half a side would overlap.
    let (width, height) = (min(horizontally, size.width / 2), min(vertically, size.height / 2))
    var mask = try Bitmap(size: size, format: .rgba8)
    let bytesPerRow = mask.bytesPerRow
    try mask.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = 255 }
      for row in 0..<height {
        if row % 64 == 0 { try work.checkCancellation() }
        for (column, share) in Self.shares(ofRow: row, width, height).enumerated() {
          let alpha = UInt8((share * 255).rounded())
          for y in [row, size.height - 1 - row] {
            for x in [column, size.width - 1 - column] { bytes[y * bytesPerRow + 4 * x + 3] = alpha }
          }
        }
      }
    }
    return mask
  }

  /// The parts of the pixels of a row that lie in the ellipse, from the corner on.
  private static func shares(ofRow row: Int, _ width: Int, _ height: Int) -> [Double] {
    var shares = [Double](repeating: 0, count: width)
    for line in 0..<linesPerRow {
      let y = 1 - (Double(row) + (Double(line) + 0.5) / Double(linesPerRow)) / Double(height)
      let edge = Double(width) * (1 - max(0, 1 - y * y).squareRoot())
      for column in shares.indices {
        shares[column] += min(1, max(0, Double(column + 1) - edge)) / Double(linesPerRow)
      }
    }
    return shares
  }
}
