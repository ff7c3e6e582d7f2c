import EaselCore
import EaselPixels

/// Decodes a picture or its first frame into a bitmap while the bytes arrive.
final class WebPPixelReader {
  private let feeder: WebPFeeder
  private var pixels: Bitmap
  private let hasAlpha: Bool

  /// `size` is the frame's size, or another size to which libwebp scales it.
  init(_ frame: WebPFrame, size: PixelSize, hasAlpha: Bool, isGradual: Bool) throws(ImageError) {
    self.hasAlpha = hasAlpha
    feeder = try WebPFeeder(frame, size: size, hasAlpha: hasAlpha, isGradual: isGradual)
    pixels = try Bitmap(unfilled: size, format: hasAlpha ? .rgba8 : .opaqueRGBA8)
  }

  func advance(over bytes: ImageBytes, isWhole: Bool, work: WorkContext) throws(ImageError) {
    let bytesPerRow = pixels.bytesPerRow
    try pixels.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) throws(ImageError) in
      try feeder.advance(
        over: bytes, isWhole: isWhole, into: target.baseAddress!, bytesPerRow: bytesPerRow, work: work)
    }
  }

  var damage: String? { feeder.damage }
  var isComplete: Bool { feeder.isComplete }
  var rows: Int { feeder.rows }

  /// The picture so far; missing rows are transparent.
  var bitmap: Bitmap {
    guard !isComplete else { return pixels }
    var part = pixels
    part.assumeAlpha(.straight)
    part.fill(.clear, in: PixelRect(x: 0, y: rows, width: part.width, height: part.height - rows))
    return part
  }
}
