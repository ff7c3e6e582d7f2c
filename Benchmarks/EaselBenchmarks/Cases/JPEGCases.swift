import CEaselJPEGBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselJPEG
import FoundationEssentials

/// Whole pictures through the coder, one after another, compared with libjpeg-turbo decoding to an existing buffer;
/// thumbnails, compared with its scaling and an average over boxes.
///
/// Both take one thread, but for the cases that name two.
func jpegCases() -> [BenchmarkCase] {
  let pictures: [(String, (Int, Int) -> UInt32)] = [
    ("photo", cameraPixel), ("screenshot", windowPixel), ("grey", grayPixel),
  ]
  return [(2, 1600 / debugDivisor, 1250 / debugDivisor), (12, 4000 / debugDivisor, 3000 / debugDivisor)].flatMap {
    megapixels, width, height in
    pictures.flatMap { name, pixel in
      [false, true].map { isProgressive in
        let picture = TestedJPEG(width: width, height: height, isProgressive: isProgressive, pixel: pixel)
        let title = "decode \(isProgressive ? "progressive " : "")\(name), \(megapixels) MP"
        return decodeCase(title, picture, atMost: isProgressive ? 0.75 : 0.85)
      }
    }
  } + [
    decodeCase("decode photo on two threads, 12 MP", largePhoto(), threads: 2, atMost: 0.6),
    decodeCase(
      "decode photo with restart markers on two threads, 12 MP", largePhoto(hasRestarts: true), threads: 2,
      atMost: 0.6),
    decodeCase(
      "decode progressive photo on two threads, 12 MP", largePhoto(isProgressive: true), threads: 2, atMost: 0.6),
    thumbnailCase(largePhoto(), "photo, 12 MP"),
    thumbnailCase(largePhoto(isProgressive: true), "progressive photo, 12 MP"),
  ]
}

private func largePhoto(isProgressive: Bool = false, hasRestarts: Bool = false) -> TestedJPEG {
  TestedJPEG(
    width: 4000 / debugDivisor, height: 3000 / debugDivisor, isProgressive: isProgressive, hasRestarts: hasRestarts,
    pixel: cameraPixel)
}

private struct TestedJPEG {
  var width: Int
  var height: Int
  var isProgressive: Bool
  var hasRestarts = false
  var pixel: (Int, Int) -> UInt32

  func file() throws -> Data {
    var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          bytes.storeBytes(of: pixel(x, y) | 0xFF00_0000, toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
        }
      }
    }
    var options = EncodeOptions()
    options.progressive = isProgressive
    options.quality = 0.85
    if hasRestarts { options.settings[.jpegRestarts] = true }
    return try JPEGCoder().encode(Image(bitmap), as: .jpeg, options: options, work: WorkContext()).data()
  }
}

private func decodeCase(
  _ name: String, _ picture: TestedJPEG, threads: Int = 1, atMost bar: Double
) -> BenchmarkCase {
  BenchmarkCase(name, group: "JPEG", against: "libjpeg-turbo", atMost: bar) {
    let file = try picture.file()
    let bytes = ImageBytes(file)
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: picture.width * picture.height * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call {
        blackHole(try JPEGCoder(threads: threads).decode(bytes, options: DecodeOptions(), work: WorkContext()))
      },
      baseline: .call {
        let isDecoded = file.withUnsafeBytes {
          easel_baseline_decode_jpeg($0.baseAddress, $0.count, target.baseAddress, target.count)
        }
        precondition(isDecoded, "libjpeg-turbo refuses the picture.")
      }
    )
  }
}

private func thumbnailCase(_ picture: TestedJPEG, _ name: String) -> BenchmarkCase {
  BenchmarkCase("thumbnail of a \(name)", group: "JPEG", against: "libjpeg-turbo, scaled, and boxes", atMost: 0.8) {
    let file = try picture.file()
    let bytes = ImageBytes(file)
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 320, height: 320)
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 320 * 240 * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try JPEGCoder(threads: 1).decode(bytes, options: options, work: WorkContext())) },
      baseline: .call {
        let isMade = file.withUnsafeBytes {
          easel_baseline_thumbnail_jpeg($0.baseAddress, $0.count, target.baseAddress, 320, 240)
        }
        precondition(isMade, "libjpeg-turbo refuses the picture.")
      }
    )
  }
}

/// Slow slopes, coarse and fine structure, and sensor noise.
private func cameraPixel(_ x: Int, _ y: Int) -> UInt32 {
  var state = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663)
  let block = UInt32(truncatingIfNeeded: (x / 24) &* 2_654_435_761 ^ (y / 24) &* 40_503)
  return (0..<3).reduce(0) { color, component in
    state = state &* 1_664_525 &+ 1_013_904_223
    let slope = (x * (3 + component) / 40 + y * (5 - component) / 60) & 511
    let level = (slope < 256 ? slope : 511 - slope) * 13 / 16 + Int(block >> 28)
    return color | UInt32(min(255, level + Int(state >> 29))) << (8 * UInt32(component))
  }
}

/// Flat windows with lines similar to text.
private func windowPixel(_ x: Int, _ y: Int) -> UInt32 {
  let window = UInt32(truncatingIfNeeded: (x / 400) &* 31 &+ (y / 300) &* 17)
  let isText = y % 18 < 11 && x % 400 > 20 && x % 400 < 300
  let letter = UInt32(truncatingIfNeeded: (x / 7) &* 2_654_435_761 ^ (y / 18) &* 40_503)
  if isText, (letter >> UInt32((x % 7) + (y % 18) % 11)) & 1 == 1, x % 7 < 6 { return 0x20_2020 }
  return [0xFF_FFFF, 0xF4_F4F8, 0xFF_F8E8, 0x30_3640][Int(window % 4)]
}

private func grayPixel(_ x: Int, _ y: Int) -> UInt32 { (cameraPixel(x, y) & 255) * 0x01_0101 }
