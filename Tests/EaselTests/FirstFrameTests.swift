import EaselEverything
import EaselTestSupport
import Testing

/// The built-in coders with `firstFrameOnly`, for moving pictures and for single frames.
struct FirstFrameTests {
  private static func file(_ format: ImageFormat) throws -> ImageBytes {
    let frames = try (0..<4).map { number in
      var bitmap = try Bitmap(size: PixelSize(width: 24, height: 16), format: .opaqueRGBA8)
      bitmap.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(60 * number) }
      }
      return bitmap
    }
    var image = Image(frames[0])
    image.frames = try FrameArray(frames, each: .milliseconds(50))
    var options = EncodeOptions()
    options.lossless = format != .gif
    return try CoderRegistry.everything.encode(image, as: format, options: options, work: WorkContext())
  }

  private static func pixels(of bitmap: Bitmap) -> [PixelColor] { bitmap.pixels(in: PixelRect(covering: bitmap.size)) }

  @Test(arguments: [ImageFormat.gif, .png, .webp, .avif]) func framesAreLeftOutWhereOnlyTheFirstIsWanted(
    _ format: ImageFormat
  ) throws {
    let bytes = try Self.file(format)
    let options = DecodeOptions(firstFrameOnly: true)
    let moving = try CoderRegistry.everything.decode(bytes, options: DecodeOptions(), work: WorkContext())
    let still = try CoderRegistry.everything.decode(bytes, options: options, work: WorkContext())
    #expect(moving.frames?.count == 4 && still.frames == nil)
    #expect(Self.pixels(of: still.bitmap) == Self.pixels(of: moving.bitmap))
    // AVIF is decoded as a whole.
    let coder = CoderRegistry.everything.coder(decoding: format) as? any ProgressiveImageCoder
    #expect(coder != nil || format == .avif)
    let decoder = try coder?.makeDecoder(prefix: bytes.prefix(64), options: options, work: WorkContext())
    if let decoder { #expect(try decoder.finish(bytes).isAnimated == false) }
  }

  @Test(arguments: [ImageFormat.gif, .png, .webp, .avif]) func aFrameIsMadeAsPartOfWorkThatMayBeOver(
    _ format: ImageFormat
  ) throws {
    let bytes = try Self.file(format)
    let decoded = try CoderRegistry.everything.decode(bytes, options: DecodeOptions(), work: WorkContext())
    let frames = try #require(decoded.frames)
    let over = WorkContext(limits: Limits(decodeTime: .zero))
    #expect(throws: ImageError.self) { try frames.frame(at: 3, work: over) }
    let frame = try frames.frame(at: 3, work: WorkContext())
    #expect(try Self.pixels(of: frame) == Self.pixels(of: frames.frame(at: 3)))
  }
}
