import CEaselPNGBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselPNG
import FoundationEssentials

/// Whole pictures through the public API, one after another, against libpng into a buffer that is there already.
func pngCases() -> [BenchmarkCase] {
  [(2, 1600, 1250), (12, 4000, 3000)].flatMap { megapixels, width, height in
    [
      pngCase("photo, \(megapixels) MP", width, height, atMost: 0.70, options: EncodeOptions(), photoPixel),
      pngCase("screenshot, \(megapixels) MP", width, height, atMost: 0.30, options: EncodeOptions(), screenPixel),
      pngCase("palette, \(megapixels) MP", width, height, atMost: 1.05, options: paletteOptions, screenPixel),
    ]
  } + [thumbnailCase(4000, 3000)]
}

private var paletteOptions: EncodeOptions {
  var options = EncodeOptions()
  options.allowsPalette = true
  return options
}

private func pngCase(
  _ name: String, _ width: Int, _ height: Int, atMost bar: Double, options: EncodeOptions,
  _ pixel: @escaping (Int, Int) -> UInt32
) -> BenchmarkCase {
  BenchmarkCase("decode \(name)", group: "PNG", against: "libpng", atMost: bar) {
    let file = try pngFile(width, height, options, pixel)
    let bytes = ImageBytes(file)
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: width * height * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try PNGCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())) },
      baseline: .call { decodeWithLibpng(file, target) }
    )
  }
}

private func thumbnailCase(_ width: Int, _ height: Int) -> BenchmarkCase {
  BenchmarkCase("thumbnail of a photo, 12 MP", group: "PNG", against: "libpng alone", atMost: 1.15) {
    let file = try pngFile(width, height, EncodeOptions(), photoPixel)
    let bytes = ImageBytes(file)
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: width * height * 4, alignment: 64)
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 320, height: 320)
    return BenchmarkPair(
      subject: .call { blackHole(try PNGCoder().decode(bytes, options: options, work: WorkContext())) },
      baseline: .call { decodeWithLibpng(file, target) }
    )
  }
}

private func decodeWithLibpng(_ file: Data, _ target: UnsafeMutableRawBufferPointer) {
  let isDecoded = file.withUnsafeBytes {
    easel_baseline_decode_png($0.baseAddress, $0.count, target.baseAddress, target.count)
  }
  precondition(isDecoded, "libpng refuses the picture.")
}

private func pngFile(
  _ width: Int, _ height: Int, _ options: EncodeOptions, _ pixel: (Int, Int) -> UInt32
) throws -> Data {
  var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: .opaqueRGBA8)
  let bytesPerRow = bitmap.bytesPerRow
  bitmap.withUnsafeMutableBytes { bytes in
    for y in 0..<height {
      for x in 0..<width {
        bytes.storeBytes(of: pixel(x, y) | 0xFF00_0000, toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
      }
    }
  }
  return try PNGCoder().encode(Image(bitmap), as: .png, options: options, work: WorkContext()).data()
}

/// Slow slopes under the noise of a sensor.
private func photoPixel(_ x: Int, _ y: Int) -> UInt32 {
  var state = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663)
  return (0..<3).reduce(0) { color, component in
    state = state &* 1_664_525 &+ 1_013_904_223
    let slope = (x * (3 + component) / 40 + y * (5 - component) / 60) & 511
    let level = (slope < 256 ? slope : 511 - slope) * 15 / 16
    return color | UInt32(min(255, level + Int(state >> 28))) << (8 * UInt32(component))
  }
}

/// Flat windows with lines of something like text.
private func screenPixel(_ x: Int, _ y: Int) -> UInt32 {
  let window = UInt32(truncatingIfNeeded: (x / 400) &* 31 &+ (y / 300) &* 17)
  let isText = y % 18 < 11 && x % 400 > 20 && x % 400 < 300
  let letter = UInt32(truncatingIfNeeded: (x / 7) &* 2_654_435_761 ^ (y / 18) &* 40_503)
  if isText, (letter >> UInt32((x % 7) + (y % 18) % 11)) & 1 == 1, x % 7 < 6 { return 0x20_2020 }
  return [0xFF_FFFF, 0xF4_F4F8, 0xFF_F8E8, 0x30_3640][Int(window % 4)]
}
