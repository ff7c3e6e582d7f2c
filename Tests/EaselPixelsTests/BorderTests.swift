import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

struct BorderTests {
  static let formats: [PixelFormat] = [
    .gray8, .rgba8, .opaqueRGBA8, PixelFormat(.rgba8, alpha: .premultiplied), PixelFormat(.bgra8, alpha: .straight),
    .rgba16, PixelFormat(.rgba16, alpha: .opaque), PixelFormat(.rgba16, alpha: .premultiplied),
  ]

  /// The same search, pixel by pixel.
  private func reference(_ bitmap: Bitmap, tolerance: Int) -> PixelRect? {
    let top = bitmap.format.layout == .rgba16 ? 65_535 : 255
    func samples(_ x: Int, _ y: Int) -> [Int] {
      var pixel = bitmap.components(x, y)
      if pixel.count == 1 { pixel = [pixel[0], pixel[0], pixel[0], top] }
      if bitmap.format.alpha == .opaque { pixel[3] = top }
      if bitmap.format.alpha == .straight {
        for index in 0..<3 { pixel[index] = Int((Double(pixel[index] * pixel[3]) / Double(top)).rounded()) }
      }
      return pixel
    }
    let border = samples(0, 0)
    var columns: [Int] = []
    var rows: [Int] = []
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width
      where zip(samples(x, y), border).contains(where: { abs($0 - $1) > tolerance * (top / 255) }) {
        columns.append(x)
        rows.append(y)
      }
    }
    guard let left = columns.min(), let right = columns.max(), let first = rows.min(), let last = rows.max() else {
      return nil
    }
    return PixelRect(x: left, y: first, width: right - left + 1, height: last - first + 1)
  }

  @Test(arguments: formats)
  func theKernelAgreesWithASearchPixelByPixel(format: PixelFormat) throws {
    var random = SeededRandom(seed: 3)
    let top = format.layout == .rgba16 ? 65_535 : 255
    for _ in 0..<120 {
      let (width, height) = (Int.random(in: 1...150, using: &random), Int.random(in: 1...12, using: &random))
      let alpha = [top, top / 3, 0].randomElement(using: &random)!
      let tolerance = [0, 1, 10, 100].randomElement(using: &random)!
      // A few pixels that stand out, on a ground that varies about as much as the tolerance.
      let bits = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        (Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random))
      }
      let spread = min(tolerance * (top / 255), alpha / 2)
      let bitmap = try Bitmap(width, height, format) { x, y in
        let isBit = bits.contains { $0 == (x, y) }
        let ground = (0..<3).map { _ in Int.random(in: 0...spread, using: &random) }
        let color = isBit ? [alpha, 0, Int.random(in: 0...alpha, using: &random)] : ground
        return format.layout == .gray8 ? [color[0]] : color + [isBit ? top : alpha]
      }
      let found = try bitmap.partInsideBorder(of: nil, tolerance: Double(tolerance), work: WorkContext())
      #expect(found == reference(bitmap, tolerance: tolerance), "\(width)x\(height), \(tolerance)")
    }
  }
}
