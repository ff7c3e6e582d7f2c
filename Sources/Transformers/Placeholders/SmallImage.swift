import EaselCore
import EaselPixels

/// The pixels of a picture, reduced so far that sums over all of them are cheap.
struct SmallImage {
  /// The longest side, which the format of ThumbHash demands.
  private static let side = 100
  /// The longest side of pictures whose light is filtered, which takes up to 50 times as long as filtering levels.
  private static let sideInLight = 1000

  let size: PixelSize
  /// Red, green, blue and straight alpha from 0 to 1, row by row.
  let pixels: [SIMD4<Double>]

  init(_ image: Image, linearLight: Bool, work: WorkContext) throws(ImageError) {
    var source = image.bitmap
    if linearLight { source = try source.reduced(to: Self.sideInLight, work: work) }
    let reduced = try source.reduced(to: Self.side, linearLight: linearLight, work: work)
    // Sixteen bits lose nothing of any format, also where colours are divided by alpha.
    let bitmap = try reduced.converted(to: .rgba16, work: work)
    let size = bitmap.size
    let isOpaque = source.format.alpha == .opaque
    self.size = size
    pixels = bitmap.withUnsafeBytes { bytes in
      (0..<size.area).map { index in
        let start = index / size.width * bitmap.bytesPerRow + index % size.width * bitmap.format.bytesPerPixel
        func component(_ index: Int) -> Double {
          Double(bytes.loadUnaligned(fromByteOffset: start + index * 2, as: UInt16.self)) / 65_535
        }
        return SIMD4(component(0), component(1), component(2), isOpaque ? 1 : component(3))
      }
    }
  }

  init(size: PixelSize, pixels: [SIMD4<Double>]) {
    self.size = size
    self.pixels = pixels
  }

  /// True when some pixel is not opaque.
  var hasAlpha: Bool { pixels.contains { $0.w < 1 } }

  /// The picture with its transparent parts filled with its average colour; alpha is kept.
  var filled: SmallImage {
    var sum = SIMD4<Double>()
    for pixel in pixels { sum += SIMD4(pixel.x, pixel.y, pixel.z, 1) * pixel.w }
    let average = sum.w > 0 ? sum / sum.w : sum
    return map { pixel in
      var result = average * (1 - pixel.w) + pixel * pixel.w
      result.w = pixel.w
      return result
    }
  }

  func map(_ change: (SIMD4<Double>) -> SIMD4<Double>) -> SmallImage {
    SmallImage(size: size, pixels: pixels.map(change))
  }
}

extension Bitmap {
  fileprivate func reduced(to side: Int, linearLight: Bool = false, work: WorkContext) throws(ImageError) -> Bitmap {
    let size = size.thumbnail(in: PixelSize(width: side, height: side))
    return try resized(to: size, filter: .box, linearLight: linearLight, work: work)
  }
}
