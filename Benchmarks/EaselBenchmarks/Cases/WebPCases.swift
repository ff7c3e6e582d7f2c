import CEaselWebPBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselWebP
import FoundationEssentials

/// Whole pictures through the public API, one after another, compared with libwebp decoding to an existing buffer; both
/// use libwebp's threads.
func webpCases() -> [BenchmarkCase] {
  [(2, 1600 / debugDivisor, 1250 / debugDivisor), (12, 4000 / debugDivisor, 3000 / debugDivisor)].flatMap {
    megapixels, width, height in
    [
      decodeCase("photo, \(megapixels) MP", width, height, photo),
      decodeCase("photo with alpha, \(megapixels) MP", width, height, fadingPhoto),
      decodeCase("photo without loss, \(megapixels) MP", width, height, photo, isLossless: true),
      decodeCase("screenshot without loss, \(megapixels) MP", width, height, screenshot, isLossless: true),
    ]
  } + [
    thumbnailCase("photo", 4000 / debugDivisor, 3000 / debugDivisor, photo),
    thumbnailCase("photo without loss", 4000 / debugDivisor, 3000 / debugDivisor, photo, isLossless: true),
    vipsCase(4000 / debugDivisor, 3000 / debugDivisor), animationCase("lossy"), animationCase("lossless"),
  ]
}

private typealias Painter = (Int, Int) -> UInt32

private func decodeCase(
  _ name: String, _ width: Int, _ height: Int, _ pixel: @escaping Painter, isLossless: Bool = false
) -> BenchmarkCase {
  BenchmarkCase("decode \(name)", group: "WebP", against: "libwebp", atMost: 1.05) {
    let file = try webpFile(width, height, pixel, isLossless: isLossless)
    let bytes = ImageBytes(file)
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: width * height * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try WebPCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())) },
      baseline: .call { decodeWithLibwebp(file, target, width, height, isScaled: false) }
    )
  }
}

private var thumbnailOptions: DecodeOptions {
  var options = DecodeOptions()
  options.thumbnailSize = PixelSize(width: 320, height: 320)
  return options
}

private func thumbnailCase(
  _ name: String, _ width: Int, _ height: Int, _ pixel: @escaping Painter, isLossless: Bool = false
) -> BenchmarkCase {
  BenchmarkCase("thumbnail of a \(name), 12 MP", group: "WebP", against: "libwebp scaling alone", atMost: 1.05) {
    let file = try webpFile(width, height, pixel, isLossless: isLossless)
    let bytes = ImageBytes(file)
    let options = thumbnailOptions
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 320 * 240 * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try WebPCoder().decode(bytes, options: options, work: WorkContext())) },
      baseline: .call { decodeWithLibwebp(file, target, 320, 240, isScaled: true) }
    )
  }
}

private func vipsCase(_ width: Int, _ height: Int) -> BenchmarkCase {
  BenchmarkCase("thumbnail of a photo, 12 MP", group: "WebP", against: "pyvips", atMost: 1.0) {
    let file = try webpFile(width, height, photo, isLossless: false)
    let path = "/tmp/easel-bench-\(UInt64.random(in: 0 ... .max)).webp"
    try file.write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let rival = try PythonRival.process(
      script: """
        import pyvips
        pyvips.cache_set_max(0)
        data = open("\(path)", "rb").read()
        def work():
            pyvips.Image.thumbnail_buffer(data, 320, height=320).write_to_memory()
        work()
        """)
    let bytes = ImageBytes(file)
    let options = thumbnailOptions
    return BenchmarkPair(
      subject: .call { blackHole(try WebPCoder().decode(bytes, options: options, work: WorkContext())) },
      baseline: rival.side
    )
  }
}

/// Sixty frames in order, from the file to the last pixel.
private func animationCase(_ name: String) -> BenchmarkCase {
  BenchmarkCase("60 \(name) frames of 480x270", group: "WebP", against: "WebPAnimDecoder", atMost: 1.05) {
    var options = EncodeOptions()
    options.lossless = name == "lossless"
    let frames = try MovingFrames()
    let image = Image(try frames.frame(at: 0), frames: frames)
    let bytes = try WebPCoder().encode(image, as: .webp, options: options, work: WorkContext())
    let file = try bytes.data()
    return BenchmarkPair(
      subject: .call {
        let image = try WebPCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
        for index in 0..<image.frames!.count { blackHole(try image.frames!.frame(at: index)) }
      },
      baseline: .call { playWithLibwebp(file) }
    )
  }
}

private func decodeWithLibwebp(
  _ file: Data, _ target: UnsafeMutableRawBufferPointer, _ width: Int, _ height: Int, isScaled: Bool
) {
  let isDecoded = file.withUnsafeBytes {
    easel_baseline_decode_webp(
      $0.baseAddress, $0.count, target.baseAddress, Int32(width), Int32(height), isScaled ? 1 : 0, 1)
  }
  precondition(isDecoded, "libwebp refuses the picture.")
}

func playWithLibwebp(_ file: Data) {
  file.withUnsafeBytes { bytes in
    let player = easel_baseline_player_create(bytes.baseAddress, bytes.count, 1)
    while let frame = easel_baseline_player_next(player!) { blackHole(frame) }
    easel_baseline_player_destroy(player)
  }
}

private func webpFile(_ width: Int, _ height: Int, _ pixel: Painter, isLossless: Bool) throws -> Data {
  var options = EncodeOptions()
  options.lossless = isLossless
  options.compressionLevel = 1
  let image = Image(try painted(width, height, pixel))
  return try WebPCoder().encode(image, as: .webp, options: options, work: WorkContext()).data()
}

private func painted(_ width: Int, _ height: Int, _ pixel: Painter) throws -> Bitmap {
  let isOpaque = pixel(0, 0) >> 24 == 255
  var bitmap = try Bitmap(
    unfilled: PixelSize(width: width, height: height), format: isOpaque ? .opaqueRGBA8 : .rgba8)
  let bytesPerRow = bitmap.bytesPerRow
  bitmap.withUnsafeMutableBytes { bytes in
    for y in 0..<height {
      for x in 0..<width {
        bytes.storeBytes(of: pixel(x, y), toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
      }
    }
  }
  return bitmap
}

/// Slow slopes with sensor noise, opaque.
private func photo(_ x: Int, _ y: Int) -> UInt32 {
  var state = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663)
  return (0..<3).reduce(0xFF00_0000) { color, component in
    state = state &* 1_664_525 &+ 1_013_904_223
    let slope = (x * (3 + component) / 40 + y * (5 - component) / 60) & 511
    let level = (slope < 256 ? slope : 511 - slope) * 15 / 16
    return color | UInt32(min(255, level + Int(state >> 28))) << (8 * UInt32(component))
  }
}

/// The same picture, transparent at the left.
private func fadingPhoto(_ x: Int, _ y: Int) -> UInt32 {
  photo(x, y) & 0xFF_FFFF | UInt32(min(255, x / 8)) << 24
}

/// Flat windows with lines similar to text.
private func screenshot(_ x: Int, _ y: Int) -> UInt32 {
  let window = UInt32(truncatingIfNeeded: (x / 400) &* 31 &+ (y / 300) &* 17)
  let isText = y % 18 < 11 && x % 400 > 20 && x % 400 < 300
  let letter = UInt32(truncatingIfNeeded: (x / 7) &* 2_654_435_761 ^ (y / 18) &* 40_503)
  if isText, (letter >> UInt32((x % 7) + (y % 18) % 11)) & 1 == 1, x % 7 < 6 { return 0xFF20_2020 }
  return [0xFFFF_FFFF, 0xFFF4_F4F8, 0xFFFF_F8E8, 0xFF30_3640][Int(window % 4)]
}

/// A disc that moves over a photo.
struct MovingFrames: FrameSource {
  private let ground: Bitmap

  init() throws { ground = try painted(480 / debugDivisor, 270 / debugDivisor, photo) }

  var count: Int { 60 }
  var loopCount: Int { 0 }
  var canvasSize: PixelSize { ground.size }
  var memoryCost: Int { ground.memoryCost }
  func duration(at index: Int) -> Duration { .milliseconds(40) }

  func frame(at index: Int) throws -> Bitmap {
    let (centerX, centerY) = (60 + index * 6, 135 + (index % 20 - 10) * 5)
    return try painted(ground.width, ground.height) { x, y in
      let isInside = (x - centerX) * (x - centerX) + (y - centerY) * (y - centerY) < 3600
      return isInside ? 0xFF20_40E0 | UInt32((x ^ y) & 63) << 8 : photo(x, y)
    }
  }
}
