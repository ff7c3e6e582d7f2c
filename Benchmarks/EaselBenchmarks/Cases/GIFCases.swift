import CEaselGIFBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselGIF
import FoundationEssentials

/// Pictures through the public API, compared with giflib, whose rows are drawn on an existing canvas.
func gifCases() -> [BenchmarkCase] {
  [
    stillCase("photo, 2 MP", 1600 / debugDivisor, 1250 / debugDivisor, photoPixel),
    stillCase("screenshot, 2 MP", 1600 / debugDivisor, 1250 / debugDivisor, screenPixel),
    playCase("photo, all of it changes") { x, y, step in photoPixel(x + 7 * step, y) },
    playCase("screenshot, a window moves") { x, y, step in
      (40..<140).contains(x - 4 * step) && (60..<160).contains(y) ? photoPixel(x, y + step) : screenPixel(x, y)
    },
  ]
}

private func stillCase(
  _ name: String, _ width: Int, _ height: Int, _ pixel: @escaping (Int, Int) -> UInt32
) -> BenchmarkCase {
  BenchmarkCase("decode \(name)", group: "GIF", against: "giflib", atMost: 1.05) {
    let bitmap = try synthetic(width, height, pixel)
    let file = try GIFCoder().encode(Image(bitmap), as: .gif, options: EncodeOptions(), work: WorkContext()).data()
    let bytes = ImageBytes(file)
    let canvas = UnsafeMutableRawBufferPointer.allocate(byteCount: width * height * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try GIFCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())) },
      baseline: .call { decodeWithGiflib(file, canvas, width, height) }
    )
  }
}

private func playCase(_ name: String, _ pixel: @escaping (Int, Int, Int) -> UInt32) -> BenchmarkCase {
  BenchmarkCase("60 frames in sequence: \(name)", group: "GIF", against: "giflib and composing in C", atMost: 1.05) {
    let (width, height) = (480 / debugDivisor, 270 / debugDivisor)
    let frames = try MadeFrames(count: 60, size: PixelSize(width: width, height: height), pixel)
    let image = Image(try frames.frame(at: 0), frames: frames)
    let file = try GIFCoder().encode(image, as: .gif, options: EncodeOptions(), work: WorkContext()).data()
    let bytes = ImageBytes(file)
    let canvas = UnsafeMutableRawBufferPointer.allocate(byteCount: width * height * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call {
        let image = try GIFCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
        let frames = image.frames!
        for index in 0..<frames.count { blackHole(try frames.frame(at: index)) }
      },
      baseline: .call { decodeWithGiflib(file, canvas, width, height) }
    )
  }
}

func decodeWithGiflib(_ file: Data, _ canvas: UnsafeMutableRawBufferPointer, _ width: Int, _ height: Int) {
  var sum = 0
  let isDecoded = file.withUnsafeBytes {
    easel_baseline_decode_gif($0.baseAddress, $0.count, canvas.baseAddress, width, height, &sum)
  }
  precondition(isDecoded, "giflib refuses the picture.")
  blackHole(sum)
}

private struct MadeFrames: FrameSource {
  let count: Int
  let canvasSize: PixelSize
  private let bitmaps: [Bitmap]

  init(count: Int, size: PixelSize, _ pixel: @escaping (Int, Int, Int) -> UInt32) throws {
    self.count = count
    canvasSize = size
    bitmaps = try (0..<count).map { step in try synthetic(size.width, size.height) { pixel($0, $1, step) } }
  }

  var loopCount: Int { 0 }
  var memoryCost: Int { 0 }
  func duration(at index: Int) -> Duration { .milliseconds(40) }
  func frame(at index: Int) throws -> Bitmap { bitmaps[index] }
}
