import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import EaselTransformers
import FoundationEssentials
import Testing

struct ThumbHashTests {
  private typealias Pictures = PlaceholderPictures

  private func hash(_ bitmap: Bitmap) throws -> String {
    Data(try ThumbHash(of: Image(bitmap)).bytes).base64EncodedString()
  }

  private func read(_ text: String) throws -> ThumbHash {
    try ThumbHash(bytes: Array(#require(Data(base64Encoded: text))))
  }

  // Computed by thumbhash-python 1.0.1, which also measured the pixels below.
  private static let gradient = "FpkNPJaCh4dwiHeHeIejsAn5eA=="
  private static let fade = "HPqGFQYHi3iAiIh4iH9xyPZ3IhACI4aGdQ=="

  @Test func hashesAreThoseOfOthers() throws {
    #expect(try hash(Pictures.gradient(60, 37)) == Self.gradient)
    #expect(try hash(Pictures.gradient(9, 90)) == "FYkNQRCFgHeHhYh4hJAJ6Ho=")
    #expect(try hash(Pictures.board(33, 47)) == "nSYCBQBXBnZ2UldmZ2VkR/qcrs/p")
    #expect(try hash(Pictures.fade(48, 48)) == Self.fade)
    #expect(try hash(Pictures.fade(70, 30)) == "GQmDGoYHfXdweHh/dfjWdgEBgXN3Z3c=")
  }

  @Test func picturesAreThoseOfOthers() throws {
    let opaque = try read(Self.gradient).image(side: 8).bitmap
    #expect(opaque.size == PixelSize(width: 8, height: 5) && opaque.format == .opaqueRGBA8)
    #expect(opaque.components(0, 0) == [0, 22, 13, 255] && opaque.components(3, 0) == [6, 0, 46, 255])
    #expect(opaque.components(1, 2) == [0, 121, 60, 255] && opaque.components(7, 4) == [239, 255, 43, 255])
    let faded = try read(Self.fade).image(side: 8).bitmap
    #expect(faded.size == PixelSize(width: 8, height: 8) && faded.format == .rgba8)
    #expect(faded.components(0, 0) == [218, 54, 66, 119] && faded.components(7, 0) == [165, 33, 66, 119])
    #expect(faded.components(0, 1) == [216, 55, 63, 119] && faded.components(7, 7) == [182, 113, 83, 119])
  }

  /// Compares with the package thumbhash, if the environment names a Python that has it.
  ///
  /// It is compared on opaque pictures only, because version 0.1.2 fails on others.
  @Test(.tags(.alone)) func hashesAreThoseOfPythonHere() throws {
    for (width, height) in [(61, 40), (100, 100), (17, 93), (30, 11)] {
      let bitmap = try Pictures.uneven(width, height)
      let script = """
        import sys, thumbhash
        sys.stdout.buffer.write(bytes(thumbhash.rgba_to_thumb_hash(\(width), \(height), sys.stdin.buffer.read())))
        """
      guard let theirs = PythonPackages.output(of: script, input: bitmap, needing: "thumbhash") else { return }
      #expect(try ThumbHash(of: Image(bitmap)).bytes == theirs, "\(width)x\(height)")
    }
  }

  @Test(arguments: PlaceholderPictures.opaqueFormats)
  func opaqueFormatsAgree(format: PixelFormat) throws {
    #expect(try hash(Pictures.gradient(60, 37).converted(to: format)) == Self.gradient)
  }

  @Test(arguments: PlaceholderPictures.alphaFormats)
  func alphaFormatsAgree(format: PixelFormat) throws {
    // Premultiplied bytes hold less of dark colours, so a step of one in a value is allowed.
    let (ours, expected) = (try ThumbHash(of: Image(Pictures.fade(48, 48).converted(to: format))), try read(Self.fade))
    let bitmaps = (try ours.image().bitmap, try expected.image().bitmap)
    #expect(bitmaps.0.largestDifference(from: bitmaps.1) <= (format.alpha == .straight ? 0 : 12))
  }

  @Test func greyIsTheSameInOneByteAsInFour() throws {
    let gray = try Bitmap(30, 20, .gray8) { x, y in [x * 8 + y] }
    #expect(try hash(gray) == hash(gray.converted(to: .opaqueRGBA8)))
  }

  @Test func aLargePictureLooksLikeItsHash() throws {
    let large = try Bitmap.waves(1200, 900)
    let placeholder = try ThumbHash(of: Image(large)).image().bitmap
    #expect(placeholder.size == PixelSize(width: 32, height: 23))
    let middle = try large.resized(to: placeholder.size, filter: .box)
    #expect(placeholder.signalToNoise(against: middle) > 12)
  }

  @Test func aspectRatios() throws {
    #expect(try ThumbHash(of: Image(Pictures.gradient(60, 37))).aspectRatio == 7.0 / 4)
    #expect(try ThumbHash(of: Image(Bitmap(3, 1000, .white))).aspectRatio == 1.0 / 7)
    #expect(try ThumbHash(of: Image(Bitmap(9, 9, .clear))).aspectRatio == 1)
  }

  @Test func flatPictures() throws {
    let white = try ThumbHash(of: Image(Bitmap(40, 40, .white))).image(side: 3).bitmap
    // The format has no level for the exact middle of its colour scales, so that grey is off by up to 4.
    #expect(white.components(1, 1).allSatisfy { $0 >= 251 })
    let clear = try ThumbHash(of: Image(Bitmap(40, 40, .clear))).image(side: 3).bitmap
    #expect(clear.components(1, 1)[3] == 0)
    let black = try ThumbHash(of: Image(Bitmap(1, 1, .black))).image(side: 1).bitmap
    #expect(black.components(0, 0).dropLast().allSatisfy { $0 <= 4 } && black.components(0, 0)[3] == 255)
  }

  @Test func badHashesAreErrors() throws {
    let good = try read(Self.fade).bytes
    for length in 0..<good.count {
      #expect(
        Pictures.code { () throws(ImageError) in _ = try ThumbHash(bytes: Array(good[..<length])) } == .badImageData)
    }
    #expect(Pictures.code { () throws(ImageError) in _ = try ThumbHash(bytes: good + [0]) } == .badImageData)
    var flat = good
    flat[3] &= 0xF8
    #expect(Pictures.code { () throws(ImageError) in _ = try ThumbHash(bytes: flat) } == .badImageData)
    flat[3] |= 7
    #expect(Pictures.code { () throws(ImageError) in _ = try ThumbHash(bytes: flat) } == .badImageData)
    // Whatever is read can be drawn.
    var random = SeededRandom(seed: 7)
    var count = 0
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 15...25, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      guard let hash = try? ThumbHash(bytes: bytes) else { continue }
      count += 1
      #expect(try hash.image(side: 5).bitmap.height > 0)
    }
    #expect(count > 20)
  }

  @Test(arguments: [0, -1, Int.min, Int.max, 1 << 20])
  func badSizesAreErrors(side: Int) throws {
    let hash = try read(Self.gradient)
    let code = Pictures.code { () throws(ImageError) in _ = try hash.image(side: side) }
    #expect(code == (side > 0 ? .limitExceeded : .transformFailed))
  }

  @Test func aCancelledHashIsNoHash() throws {
    let image = Image(try Bitmap.waves(600, 400))
    let work = WorkContext(isCancelled: true)
    #expect(Pictures.code { () throws(ImageError) in _ = try ThumbHash(of: image, work: work) } == .cancelled)
  }
}
