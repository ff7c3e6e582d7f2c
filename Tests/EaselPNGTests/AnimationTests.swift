import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselPNG

struct AnimationTests {
  private let coder = PNGCoder()

  private func frames(_ format: PixelFormat = .rgba8, count: Int = 5) throws -> Frames {
    let bitmaps = try (0..<count).map { try Bitmap.noise(23, 11, format, seed: UInt64($0 + 1)) }
    return Frames(bitmaps: bitmaps, durations: (0..<count).map { .milliseconds(40 + 10 * $0) }, loopCount: 3)
  }

  private func written(_ frames: Frames, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> ImageBytes {
    var options = EncodeOptions()
    change(&options)
    return try coder.encode(frames.image, as: .png, options: options, work: WorkContext())
  }

  private func read(_ bytes: ImageBytes, keeps16Bits: Bool = false) throws -> Image {
    var options = DecodeOptions()
    options.keeps16Bits = keeps16Bits
    return try coder.decode(bytes, options: options, work: WorkContext())
  }

  @Test(arguments: [PixelFormat.rgba8, .rgba16])
  func framesDelaysAndPlaysComeBack(format: PixelFormat) throws {
    let frames = try frames(format)
    let image = try read(written(frames), keeps16Bits: true)
    let again = try #require(image.frames)
    #expect(again.count == frames.count)
    #expect(again.loopCount == 3)
    for index in 0..<frames.count {
      #expect(try again.frame(at: index) == frames.frame(at: index))
      #expect(again.duration(at: index) == frames.duration(at: index))
    }
    #expect(image.bitmap == frames.bitmaps[0])
  }

  @Test func framesComeInAnyOrder() throws {
    let frames = try frames(count: 7)
    let again = try #require(try read(written(frames)).frames)
    for index in [6, 0, 3, 3, 2, 5, 1, 4, 6, 0] {
      #expect(try again.frame(at: index) == frames.frame(at: index))
    }
  }

  @Test func framesThatAreEqualKeepTheirCount() throws {
    var frames = try frames(count: 4)
    frames.bitmaps = Array(repeating: frames.bitmaps[0], count: 4)
    let again = try #require(try read(written(frames)).frames)
    #expect(again.count == 4)
    for index in 0..<4 { #expect(try again.frame(at: index) == frames.bitmaps[0]) }
  }

  @Test func onlyTheFirstFrameIsWrittenOnRequest() throws {
    let bytes = try written(frames()) { $0.firstFrameOnly = true }
    #expect(try read(bytes).frames == nil)
  }

  @Test func aFrameThatIsNotThereIsAnError() throws {
    let again = try #require(try read(written(frames())).frames)
    #expect(throws: ImageError.self) { try again.frame(at: -1) }
    #expect(throws: ImageError.self) { try again.frame(at: 5) }
  }

  @Test(arguments: [
    (Duration.milliseconds(40), 40.0), (.milliseconds(65_535), 65_535), (.seconds(100), 100_000),
    (.seconds(70_000), 65_535_000), (.seconds(1) / 60, 1000.0 / 60), (.microseconds(16_700), 16.7), (.zero, 0),
  ])
  func aDelayIsTheNearestFraction(delay: Duration, milliseconds: Double) {
    let fraction = PNGAnimationWriter.fraction(of: delay)
    let stored = 1000 * Double(fraction.numerator) / Double(fraction.denominator)
    #expect(abs(stored - milliseconds) <= milliseconds * 0.0001)
  }

  @Test func framesAreMadeSmallerAndTurnedLikeThePicture() throws {
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 8, height: 8)
    let image = try coder.decode(written(frames()), options: options, work: WorkContext())
    let again = try #require(image.frames)
    #expect(image.size == PixelSize(width: 8, height: 4))
    #expect(again.canvasSize == image.size)
    #expect(try again.frame(at: 2).size == image.size)
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func everyFrameStandsUprightHoweverItIsMade(orientation: ImageMetadata.Orientation) throws {
    let frames = try frames()
    var image = frames.image
    image.metadata.orientation = orientation
    let bytes = try coder.encode(image, as: .png, options: EncodeOptions(), work: WorkContext())
    for box in [PixelSize(width: 0, height: 0), PixelSize(width: 9, height: 9)] {
      var options = DecodeOptions()
      options.thumbnailSize = box
      let decoder = try #require(
        try coder.makeDecoder(prefix: bytes.prefix(64), options: options, work: WorkContext()))
      try decoder.update(bytes)
      for image in [
        try coder.decode(bytes, options: options, work: WorkContext()), try decoder.finish(bytes),
      ] {
        let again = try #require(image.frames)
        #expect(again.count == frames.count)
        for index in 0..<frames.count {
          let size = image.size
          let flat = try frames.bitmaps[index].resized(to: orientation.swapsSides ? size.transposed : size)
          #expect(try again.frame(at: index) == flat.oriented(orientation), "frame \(index) in \(box)")
        }
        #expect(try image.bitmap == again.frame(at: 0))
      }
    }
  }

  @Test func tooManyFramesAreRefusedFromTheHeader() throws {
    var limits = Limits()
    limits.frames = 4
    let bytes = try written(frames())
    let error = #expect(throws: ImageError.self) { try coder.probe(bytes, work: WorkContext(limits: limits)) }
    #expect(error?.message == "PNG: acTL claims 5 frames, over the limit of 4 frames. Raise Limits.frames to allow it.")
  }

  @Test(arguments: [PixelFormat.rgba8, .opaqueRGBA8])
  func previewsPlayTheFramesThatAreWhole(format: PixelFormat) throws {
    let frames = try frames(format)
    let bytes = try written(frames).withUnsafeBytes { Array($0) }
    let decoder = try #require(
      try coder.makeDecoder(prefix: Array(bytes.prefix(64)), options: DecodeOptions(), work: WorkContext()))
    var counts: [Int] = []
    try feed(bytes, inPiecesOf: 50) { bytes in
      try decoder.update(bytes)
      guard let preview = try decoder.preview() else { return }
      #expect(preview.traits == .partial)
      let count = preview.frames?.count ?? 1
      if count != counts.last { counts.append(count) }
      guard let shown = preview.frames else { return }
      #expect(shown.loopCount == 3 && shown.duration(at: count - 1) == frames.duration(at: count - 1))
      let last = try shown.frame(at: count - 1).converted(to: .rgba8)
      #expect(try last == frames.bitmaps[count - 1].converted(to: .rgba8))
      #expect(try preview.bitmap == shown.frame(at: 0))
    }
    // The end of a frame is known when the next frame begins.
    #expect(counts == [1, 2, 3, 4] || counts == [1, 2, 3, 4, 5])
    let image = try decoder.finish(ImageBytes(bytes))
    #expect(image.frames?.count == 5 && image.traits == [])
  }

  @Test(arguments: [
    (-1, Duration.milliseconds(50), 4), (.min, .milliseconds(50), 4), (0, .milliseconds(-50), 4),
    (0, .milliseconds(50), 3), (0, .milliseconds(50), 5),
  ])
  func framesThatCannotBeAreRefused(loopCount: Int, duration: Duration, width: Int) throws {
    let bitmaps = try [4, width].map { try Bitmap($0, 4, .white) }
    let frames = Frames(bitmaps: bitmaps, durations: [.milliseconds(50), duration], loopCount: loopCount)
    let error = #expect(throws: ImageError.self) { try written(frames) }
    #expect(error?.code == .encodeFailed && error?.message.hasPrefix("PNG: the moving picture") == true)
  }

  @Test func aSourceWithoutFramesIsRefused() throws {
    let image = Image(try Bitmap(4, 4, .white), frames: NoFrames())
    let error = #expect(throws: ImageError.self) {
      try coder.encode(image, as: .png, options: EncodeOptions(), work: WorkContext())
    }
    #expect(error?.code == .encodeFailed && error?.message.contains("claims 0 frames") == true)
  }

  @Test func theLongestDelaysAndMostPlaysAreWritten() throws {
    var frames = try frames(count: 24)
    frames.durations = Array(repeating: .seconds(Int64.max), count: 24)
    frames.loopCount = .max
    let again = try #require(try read(written(frames)).frames)
    #expect(again.loopCount == Int(UInt32.max) && again.duration(at: 23) == .seconds(65_535))
  }

  @Test func aFileCutBetweenFramesPlaysThoseThatAreWhole() throws {
    let bytes = try written(frames())
    let cut = try ImageBytes(bytes.withUnsafeBytes { Array($0.prefix(bytes.count - 100)) })
    #expect(throws: ImageError.self) { try read(cut) }
    var options = DecodeOptions()
    options.damaged = .show
    let image = try coder.decode(cut, options: options, work: WorkContext())
    #expect(image.traits.contains(.partial))
    #expect(image.frames?.count == 4)
  }

  @Test func aFileCutBehindItsFramesPlaysThemAll() throws {
    let bytes = try written(frames()).withUnsafeBytes { Array($0) }
    let whole = try #require(try read(ImageBytes(bytes)).frames)
    for missing in [12, 5, 1] {
      let image = try read(ImageBytes(Array(bytes.dropLast(missing))))
      #expect(image.traits == [] && image.metadata.notes.count == 1 && image.frames?.count == whole.count)
      for index in 0..<whole.count { #expect(try image.frames?.frame(at: index) == whole.frame(at: index)) }
    }
    // The check sum of the last frame is missing as well.
    #expect(throws: ImageError.self) { try read(ImageBytes(Array(bytes.dropLast(14)))) }
  }

  @Test func aDamagedFrameIsShownAsFarAsItGoes() throws {
    var bytes = try written(frames()).withUnsafeBytes { Array($0) }
    // The check sum of the last frame.
    bytes[bytes.count - 13] ^= 1
    let last = try #require(try read(ImageBytes(bytes)).frames)
    #expect(throws: ImageError.self) { try last.frame(at: last.count - 1) }
    let shown = try coder.decode(
      ImageBytes(bytes), options: DecodeOptions(damaged: .show), work: WorkContext())
    let frames = try #require(shown.frames)
    let late = try frames.frame(at: frames.count - 1)
    for index in 0..<frames.count { _ = try frames.frame(at: index) }
    #expect(try frames.frame(at: frames.count - 1) == late)
  }
}
