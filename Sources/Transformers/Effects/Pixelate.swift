import EaselCore
import EaselPixels

/// Turns a picture into squares of one colour each.
struct Pixelate: BitmapTransformer {
  /// The side of a square in pixels; squares at the right and bottom may be cut off.
  let block: Int

  /// Creates squares.
  init(_ block: Int) { self.block = block }

  /// `Pixelate(block)`.
  var cacheKey: String { KeyText.make("Pixelate", "\(block)") }

  var isTrivial: Bool { block == 1 }

  func checkParameters() throws(ImageError) {
    try require(block >= 1, "a square must have a side of 1 or more, but has \(block)")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    block == 1 ? bitmap : try bitmap.pixelated(block: block, work: work)
  }
}
