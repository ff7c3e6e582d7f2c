import EaselCore
import EaselPixels
import EaselSupport

/// A picture to draw on others, and the sizes of it that were needed last.
///
/// The frames of a moving picture, and pictures of one size, share what was made for the first. Two threads that need a
/// new size at the same time may both make it.
final class WatermarkImage: Sendable {
  let original: Bitmap
  private let made = Locked<[Bitmap]>([])

  /// The most bytes of sizes that are kept besides the newest.
  private static let budget = 8 << 20
  private static let mostSizes = 8

  init(_ original: Bitmap) { self.original = original }

  /// The sizes that are kept, newest last.
  var keptSizes: [PixelSize] { made.withLock { $0.map(\.size) } }

  func resized(to size: PixelSize, work: WorkContext) throws(ImageError) -> Bitmap {
    if size == original.size { return original }
    if let kept = made.withLock({ Self.take(size, from: &$0) }) { return kept }
    let picture = try original.resized(to: size, work: work)
    made.withLock { Self.keep(picture, in: &$0) }
    return picture
  }

  private static func take(_ size: PixelSize, from kept: inout [Bitmap]) -> Bitmap? {
    guard let index = kept.firstIndex(where: { $0.size == size }) else { return nil }
    let picture = kept.remove(at: index)
    kept.append(picture)
    return picture
  }

  private static func keep(_ picture: Bitmap, in kept: inout [Bitmap]) {
    kept.removeAll { $0.size == picture.size }
    while kept.count >= mostSizes || kept.reduce(0, { $0 + $1.memoryCost }) > budget { kept.removeFirst() }
    kept.append(picture)
  }
}
