import Easel

// Documentation: writing a transformer.
struct Posterize: Transformer {
  var levels: Int

  var cacheKey: String { "Posterize(\(levels))" }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let step = max(1, 256 / max(1, levels))
    var image = image
    var bitmap = try image.bitmap.converted(to: .rgba8, work: work)
    let bytesPerRow = bitmap.bytesPerRow
    let (width, height) = (bitmap.width, bitmap.height)
    try bitmap.withUnsafeMutableBytes { bytes in
      for row in 0..<height {
        try work.checkCancellation()
        for place in 0..<width * 4 where place % 4 != 3 {
          let value = Int(bytes[row * bytesPerRow + place])
          bytes[row * bytesPerRow + place] = UInt8(value / step * step)
        }
      }
    }
    image.bitmap = bitmap
    return image
  }
}
