import CEaselWebPBaseline
import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselWebP

struct AnimationTests {
  private typealias T = WebPTesting

  private func noise(_ format: PixelFormat = .rgba8, count: Int = 5) throws -> Frames {
    let bitmaps = try (0..<count).map { try Bitmap.noise(23, 11, format, seed: UInt64($0 + 1)) }
    return Frames(bitmaps: bitmaps, durations: (0..<count).map { .milliseconds(40 + 10 * $0) }, loopCount: 3)
  }

  /// The frames that libwebp's own player shows.
  static func played(_ bytes: [UInt8]) throws -> [[UInt8]] {
    let player = try #require(easel_baseline_player_create(bytes, bytes.count, 0))
    defer { easel_baseline_player_destroy(player) }
    var frames: [[UInt8]] = []
    let header = try T.coder.probe(ImageBytes(bytes), work: WorkContext())
    while let frame = easel_baseline_player_next(player) {
      frames.append(Array(UnsafeBufferPointer(start: frame, count: header.storedSize.area * 4)))
    }
    return frames
  }

  // MARK: Reading

  /// Frames of every kind on one canvas: blended or not, cleared or not, side by side and overlapping.
  private func everyKind(isLossless: Bool, seed: UInt64) throws -> [UInt8] {
    var random = SeededRandom(seed: seed)
    var chunks = T.extended(40, 30, [.animation, .alpha]) + T.animation(loops: 7)
    for index in 0..<24 {
      let isWhole = Int.random(in: 0..<4, using: &random) == 0
      let (x, y) =
        isWhole ? (0, 0) : (Int.random(in: 0..<15, using: &random) * 2, Int.random(in: 0..<10, using: &random) * 2)
      let width = isWhole ? 40 : Int.random(in: 1...(40 - x), using: &random)
      let height = isWhole ? 30 : Int.random(in: 1...(30 - y), using: &random)
      let isOpaque = Int.random(in: 0..<3, using: &random) == 0
      let bitmap = try Bitmap.noise(width, height, isOpaque ? .opaqueRGBA8 : .rgba8, seed: seed &+ UInt64(index))
      chunks += try T.frame(
        T.pixels(bitmap, isLossless: isLossless), x: x, y: y, delay: 5 + index,
        clears: Int.random(in: 0..<2, using: &random) == 0, isBlended: Int.random(in: 0..<3, using: &random) > 0)
    }
    return T.riff(chunks)
  }

  @Test(arguments: [false, true], [1, 2, 3, 4] as [UInt64])
  func everyFrameIsThatOfLibwebpsPlayer(isLossless: Bool, seed: UInt64) throws {
    let bytes = try everyKind(isLossless: isLossless, seed: seed)
    let expected = try Self.played(bytes)
    #expect(expected.count == 24)
    let frames = try #require(try T.decode(ImageBytes(bytes)).frames)
    #expect(frames.count == 24 && frames.loopCount == 7)
    for index in 0..<24 {
      #expect(try frames.frame(at: index).withUnsafeBytes { Array($0) } == expected[index], "frame \(index)")
    }
    for index in [23, 0, 11, 11, 10, 5, 17, 2, 22, 1, 0] {
      #expect(try frames.frame(at: index).withUnsafeBytes { Array($0) } == expected[index], "frame \(index)")
    }
  }

  @Test func delaysArePlayedAsStoredExceptTheShortest() throws {
    let bytes = try ImageBytes(everyKind(isLossless: true, seed: 9))
    let header = try T.coder.probe(bytes, work: WorkContext())
    #expect(header.storedDelays == (0..<24).map { .milliseconds(5 + $0) })
    #expect(header.storedLoopCount == 7 && header.loopCount == 7 && header.frameCount == 24)
    let frames = try #require(try T.decode(bytes).frames)
    #expect(frames.duration(at: 5) == .milliseconds(100))
    #expect(frames.duration(at: 6) == .milliseconds(11))
    #expect(frames.duration(at: 23) == .milliseconds(28))
  }

  @Test func thePictureIsTheFirstFrameOnItsCanvas() throws {
    let small = try Bitmap.noise(10, 6, .opaqueRGBA8)
    let pixels = try T.pixels(small)
    let bytes = T.riff(
      T.extended(40, 30, .animation) + T.animation() + T.frame(pixels, x: 4, y: 8) + T.frame(pixels, x: 20, y: 2))
    let image = try T.decode(ImageBytes(bytes))
    #expect(image.size == PixelSize(width: 40, height: 30))
    #expect(image.bitmap.format == .rgba8)
    #expect(image.bitmap.components(4, 8) == small.components(0, 0))
    #expect(image.bitmap.components(3, 8) == [0, 0, 0, 0])
    #expect(try image.frames?.frame(at: 0) == image.bitmap)
    #expect(try T.coder.probe(ImageBytes(bytes), work: WorkContext()).hasAlpha)
    #expect(try T.decodeInPieces(bytes, of: 7).bitmap == image.bitmap)
  }

  @Test func framesThatCoverEverythingAreOpaque() throws {
    let pixels = try T.pixels(Bitmap.noise(10, 6, .opaqueRGBA8))
    let bytes = T.riff(T.extended(10, 6, .animation) + T.animation() + T.frame(pixels) + T.frame(pixels))
    let image = try T.decode(ImageBytes(bytes))
    #expect(image.bitmap.format == .opaqueRGBA8)
    #expect(try image.frames?.frame(at: 1) == image.bitmap)
    #expect(try !T.coder.probe(ImageBytes(bytes), work: WorkContext()).hasAlpha)
  }

  @Test func aSingleFrameDoesNotMove() throws {
    let pixels = try T.pixels(Bitmap.noise(10, 6, .rgba8))
    let bytes = ImageBytes(T.riff(T.extended(10, 6, [.animation, .alpha]) + T.animation() + T.frame(pixels)))
    #expect(try T.decode(bytes).frames == nil)
    #expect(try T.coder.probe(bytes, work: WorkContext()).frameCount == 1)
  }

  @Test(arguments: [false, true])
  func theFirstFrameIsThereWithItsLastByte(isLossless: Bool) throws {
    let bytes = try T.encode(noise().image) { $0.lossless = isLossless }.array
    var scanner = WebPScanner(limits: Limits())
    try scanner.advance(over: ImageBytes(bytes), isWhole: true, work: WorkContext())
    let end = try #require(scanner.file?.frames.first).end
    let first = try T.decode(ImageBytes(bytes)).bitmap
    let decoder = try #require(
      try T.coder.makeDecoder(prefix: Array(bytes.prefix(64)), options: DecodeOptions(), work: WorkContext()))
    try decoder.update(ImageBytes(Array(bytes[..<(end - 1)])))
    #expect(try decoder.preview()?.bitmap != first)
    try decoder.update(ImageBytes(Array(bytes[..<end])))
    #expect(try decoder.preview()?.bitmap == first)
  }

  @Test func aDamagedFrameIsAnErrorThatNamesIt() throws {
    let pixels = try T.pixels(Bitmap.noise(30, 30, .rgba8))
    var broken = pixels
    for index in 15..<broken.count { broken[index] = 0xFF }
    let bytes = T.riff(
      T.extended(30, 30, [.animation, .alpha]) + T.animation() + T.frame(pixels) + T.frame(broken) + T.frame(pixels))
    let frames = try #require(try T.decode(ImageBytes(bytes)).frames)
    let error = #expect(throws: ImageError.self) { try frames.frame(at: 1) }
    #expect(error?.code == .badImageData && error?.message.hasPrefix("WebP: frame 1: ") == true)
    #expect(throws: Never.self) { try frames.frame(at: 0) }
  }

  // MARK: Writing

  @Test(arguments: [PixelFormat.rgba8, .opaqueRGBA8])
  func withoutLossFramesDelaysAndPlaysComeBack(format: PixelFormat) throws {
    let frames = try noise(format)
    let bytes = try T.encode(frames.image, T.lossless)
    let image = try T.decode(bytes)
    let again = try #require(image.frames)
    #expect(again.count == frames.count && again.loopCount == 3)
    for index in 0..<frames.count {
      #expect(try again.frame(at: index) == frames.frame(at: index))
      #expect(again.duration(at: index) == frames.duration(at: index))
    }
    #expect(image.bitmap == frames.bitmaps[0])
    let played = try Self.played(bytes.array)
    #expect(played == frames.bitmaps.map { $0.withUnsafeBytes { Array($0) } })
  }

  @Test func lossyFramesComeNear() throws {
    let whole = try Bitmap.waves(140, 60)
    let bitmaps = try (0..<4).map { try whole.cropped(to: PixelRect(x: $0 * 10, y: 0, width: 100, height: 60)) }
    let frames = Frames(bitmaps: bitmaps, durations: Array(repeating: .milliseconds(30), count: 4))
    let again = try #require(try T.decode(T.encode(frames.image)).frames)
    for index in 0..<4 {
      #expect(try again.frame(at: index).signalToNoise(against: bitmaps[index]) > 30)
    }
  }

  @Test func onlyWhatChangesIsWritten() throws {
    let ground = try Bitmap.noise(64, 64, .opaqueRGBA8)
    var changed = ground
    changed.withUnsafeMutableBytes { $0[(33 * 64 + 21) * 4] ^= 0xFF }
    let frames = Frames(bitmaps: [ground, changed, ground], durations: Array(repeating: .milliseconds(30), count: 3))
    let bytes = try T.encode(frames.image, T.lossless)
    let still = try T.encode(Image(ground), T.lossless)
    #expect(bytes.count < still.count + 300)
    var scanner = WebPScanner(limits: Limits())
    try scanner.advance(over: bytes, isWhole: true, work: WorkContext())
    #expect(scanner.file?.frames[1].placing.rect == PixelRect(x: 20, y: 32, width: 2, height: 2))
    let again = try #require(try T.decode(bytes).frames)
    #expect(try again.frame(at: 1) == changed)
    #expect(try again.frame(at: 2) == ground)
  }

  @Test func wholeMillisecondsKeepTheTotal() {
    var time = Duration.zero
    var total = 0
    for _ in 0..<60 {
      let delay = WebPAnimationWriter.milliseconds(of: .seconds(1) / 60, after: time)
      #expect(delay == 16 || delay == 17)
      total += delay
      time += .seconds(1) / 60
    }
    #expect(total == 1000)
    #expect(WebPAnimationWriter.milliseconds(of: .seconds(100_000), after: .zero) == 0xFF_FFFF)
    #expect(WebPAnimationWriter.milliseconds(of: .zero, after: .seconds(3)) == 0)
  }

  @Test func aLimitOfBytesHoldsForFramesToo() throws {
    let bytes = try T.encode(noise().image) { $0.maxFileBytes = 900 }
    #expect(bytes.count <= 900)
    #expect(try T.decode(bytes).frames?.count == 5)
  }
}
