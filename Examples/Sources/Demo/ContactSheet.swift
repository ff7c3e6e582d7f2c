import Easel

/// Small pictures in rows on one sheet.
struct ContactSheet {
  private static let columns = 4
  private static let cell = PixelSize(width: 256, height: 168)

  static func bitmap(of pictures: [Bitmap]) throws -> Bitmap {
    let rows = (pictures.count + columns - 1) / columns
    let size = PixelSize(width: columns * cell.width, height: rows * cell.height)
    var sheet = try Bitmap(size: size, format: .rgba8).blended(
      with: PixelColor(red: 250, green: 248, blue: 244), mode: .normal)
    for (index, picture) in pictures.enumerated() {
      let small = try picture.resized(
        to: picture.size.thumbnail(in: PixelSize(width: cell.width - 16, height: cell.height - 16)))
      sheet = try sheet.overlaid(
        with: small, x: index % columns * cell.width + (cell.width - small.width) / 2,
        y: index / columns * cell.height + (cell.height - small.height) / 2)
    }
    return sheet.markedOpaqueIfPossible()
  }
}
