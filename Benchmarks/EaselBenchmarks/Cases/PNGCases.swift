import CEaselPNGBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselPNG
import FoundationEssentials

/// Whole pictures through the public API, one after another, compared with libpng decoding to an existing buffer.
func pngCases() -> [BenchmarkCase] {
  [(2, 1600 / debugDivisor, 1250 / debugDivisor), (12, 4000 / debugDivisor, 3000 / debugDivisor)].flatMap {
    megapixels, width, height in
    [
      pngCase("photo, \(megapixels) MP", width, height, atMost: 0.70, options: EncodeOptions(), photoPixel),
      pngCase("screenshot, \(megapixels) MP", width, height, atMost: 0.30, options: EncodeOptions(), screenPixel),
      pngCase("palette, \(megapixels) MP", width, height, atMost: 1.05, options: paletteOptions, screenPixel),
    ]
  } + [thumbnailCase(4000 / debugDivisor, 3000 / debugDivisor)]
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
  let image = Image(try synthetic(width, height, pixel))
  return try PNGCoder().encode(image, as: .png, options: options, work: WorkContext()).data()
}
