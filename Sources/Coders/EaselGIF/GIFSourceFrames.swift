import CEaselGIF
import EaselCoding
import EaselCore
import EaselPixels

/// The pictures to write: upright, at the final size, each pixel either opaque or four zeros.
struct GIFSourceFrames {
  let image: Image
  let frames: CheckedFrames?
  let size: PixelSize
  let background: PixelColor
  let work: WorkContext

  func frame(at index: Int) throws -> GIFSourceFrame {
    try work.checkCancellation()
    var bitmap = try frames?.frame(at: index) ?? image.bitmap
    bitmap = try bitmap.oriented(image.metadata.orientation, work: work)
    bitmap = try bitmap.resized(to: size, work: work).converted(to: .rgba8, work: work)
    let (width, height, bytesPerRow) = (bitmap.width, bitmap.height, bitmap.bytesPerRow)
    let color = [background.red, background.green, background.blue]
    try bitmap.makeUnique()
    let hasTransparent = bitmap.withUnsafeMutableBytes {
      easel_gif_make_binary($0.baseAddress, bytesPerRow, width, height, color)
    }
    return GIFSourceFrame(bitmap: bitmap, hasTransparent: hasTransparent)
  }
}
