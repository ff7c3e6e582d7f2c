import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import EaselTransformers
import Testing

struct BlurHashTests {
  private typealias Pictures = PlaceholderPictures

  private func hash(_ bitmap: Bitmap, _ x: Int = 4, _ y: Int = 3) throws -> String {
    try BlurHash(of: Image(bitmap), components: (x, y)).text
  }

  // Computed by blurhash 1.1.5 (Python), which also measured the pixels below.
  private static let gradient = "L$B~2CB6$3SeL.s8WrjbkkflfRfh"

  @Test func hashesAreThoseOfOthers() throws {
    let gradient = try Pictures.gradient(60, 37)
    #expect(try hash(gradient) == Self.gradient)
    #expect(try hash(gradient, 1, 1) == "00B~2C")
    #expect(try hash(gradient, 2, 5) == "b$B~2CB6L.s8kkfle;fRbFjs")
    #expect(
      try hash(gradient, 9, 9)
        == "|$B~2CB6$3Seo0bHjsfja{L.s8Wrjba{f7fQf8fQkkflfRfhfRfjfRfifQe;fRfOfRfRfPfQfQfRbFjsfRfRfPfRfQfQfQj[a|jt"
        + "fPfRfQfPfRfQafjsfQfRfQfPfRfPfPkBa}jsfQfPfRfPfPfRafjta|fRfQfQfPfRfP")
    #expect(try hash(Pictures.board(33, 47)) == "L3H1Tf^n#6^n=$s9v|r=v|r=#6r;")
    #expect(try hash(Pictures.gradient(9, 90)) == "L%AySdKfjto{Hew1a|V]pBX5jtk9")
  }

  @Test func picturesAreThoseOfOthers() throws {
    let hash = try BlurHash(text: "LEHV6nWB2yk8pyo0adR*.7kCMdnj")
    #expect(hash.components == (4, 3))
    let bitmap = try hash.image(size: PixelSize(width: 5, height: 4)).bitmap
    #expect(bitmap.format == .opaqueRGBA8)
    #expect(bitmap.components(0, 0) == [135, 164, 177, 255] && bitmap.components(2, 0) == [178, 179, 174, 255])
    #expect(bitmap.components(4, 1) == [145, 159, 167, 255] && bitmap.components(3, 3) == [167, 141, 116, 255])
    let punched = try hash.image(size: PixelSize(width: 3, height: 2), punch: 1.7).bitmap
    #expect(punched.components(0, 0) == [122, 172, 194, 255] && punched.components(1, 1) == [150, 108, 103, 255])
  }

  /// Compares with the package blurhash, if the environment names a Python that has it.
  @Test(.tags(.alone)) func hashesAreThoseOfPythonHere() throws {
    for (width, height, x, y) in [(61, 40, 4, 3), (23, 57, 9, 9), (3, 2, 5, 4), (100, 30, 1, 7)] {
      let bitmap = try Pictures.uneven(width, height)
      let script = """
        import sys, blurhash
        data = sys.stdin.buffer.read()
        rows = [[data[(y * \(width) + x) * 4:][:3] for x in range(\(width))] for y in range(\(height))]
        sys.stdout.write(blurhash.encode(rows, \(x), \(y)))
        """
      guard let theirs = PythonPackages.output(of: script, input: bitmap, needing: "blurhash") else { return }
      #expect(try hash(bitmap, x, y) == String(decoding: theirs, as: UTF8.self), "\(width)x\(height)")
    }
  }

  @Test(arguments: PlaceholderPictures.opaqueFormats)
  func opaqueFormatsAgree(format: PixelFormat) throws {
    #expect(try hash(Pictures.gradient(60, 37).converted(to: format)) == Self.gradient)
  }

  @Test(arguments: PlaceholderPictures.alphaFormats)
  func alphaFormatsAgree(format: PixelFormat) throws {
    let size = PixelSize(width: 8, height: 8)
    let straight = try BlurHash(of: Image(Pictures.fade(48, 48))).image(size: size).bitmap
    let other = try BlurHash(of: Image(Pictures.fade(48, 48).converted(to: format))).image(size: size).bitmap
    #expect(other.largestDifference(from: straight) <= (format.alpha == .straight ? 0 : 12))
  }

  @Test func transparentPartsTakeTheAverageColour() throws {
    let picture = try Bitmap(20, 20, .rgba8) { x, _ in x < 5 ? [200, 100, 50, 255] : [0, 255, 0, 0] }
    #expect(try hash(picture) == hash(Bitmap(20, 20, PixelColor(red: 200, green: 100, blue: 50))))
    #expect(try hash(Bitmap(20, 20, .clear)) == hash(Bitmap(20, 20, .black)))
  }

  @Test func greyIsTheSameInOneByteAsInFour() throws {
    let gray = try Bitmap(30, 20, .gray8) { x, y in [x * 8 + y] }
    #expect(try hash(gray) == hash(gray.converted(to: .opaqueRGBA8)))
  }

  @Test func aLargePictureIsReducedInLinearLight() throws {
    // Black and white pixels in turn give half the light, which is level 188.
    let board = try Bitmap(400, 400, .gray8) { x, y in [(x + y) % 2 * 255] }
    let color = try BlurHash(of: Image(board), components: (1, 1)).image(size: PixelSize(width: 1, height: 1)).bitmap
    #expect(abs(color.components(0, 0)[0] - 188) <= 1)
  }

  @Test(arguments: [PixelFormat.opaqueRGBA8, PixelFormat(.rgba8, alpha: .premultiplied)])
  func aLargePictureLooksLikeItsHash(format: PixelFormat) throws {
    let large = try Bitmap.waves(1600, 1200)
    let size = PixelSize(width: 32, height: 24)
    let placeholder = try BlurHash(of: Image(large.converted(to: format)), components: (9, 7)).image(size: size).bitmap
    #expect(try placeholder.signalToNoise(against: large.resized(to: size, filter: .box)) > 12)
  }

  @Test func badHashesAreErrors() {
    let bad = [
      "", "0", "00HVB", "00HVB@0", String(repeating: "0", count: 100_000), "00HV B", "00HV\u{e9}", "00~~~~",
      "~" + String(repeating: "0", count: 165), String(Self.gradient.dropLast()), Self.gradient.dropLast(2) + "~~",
      Self.gradient.dropLast(2) + "\"\\",
    ]
    for text in bad {
      #expect(
        Pictures.code { () throws(ImageError) in _ = try BlurHash(text: text) } == .badImageData, "\(text.prefix(40))")
    }
  }

  @Test func whateverIsReadCanBeDrawn() throws {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")
    var random = SeededRandom(seed: 5)
    var count = 0
    for _ in 0..<300 {
      // The first digit of the colour is small enough, and the length fits the first digit of all.
      let flag = Int.random(in: 0...82, using: &random)
      let length = 4 + 2 * (flag % 9 + 1) * (flag / 9 + 1)
      let rest = (0..<length - 3).map { _ in digits.randomElement(using: &random)! }
      let text = String([digits[flag], digits.randomElement(using: &random)!, "F"] + rest)
      guard let hash = try? BlurHash(text: text) else { continue }
      count += 1
      #expect(try hash.image(size: PixelSize(width: 3, height: 2), punch: 1000).bitmap.height == 2)
    }
    #expect(count > 200)
  }

  @Test(arguments: [(0, 1), (1, 0), (10, 1), (3, 10), (-1, 4), (Int.max, Int.max), (Int.min, 2)])
  func badComponentsAreErrors(x: Int, y: Int) throws {
    let image = Image(try Bitmap(4, 4, .white))
    #expect(
      Pictures.code { () throws(ImageError) in _ = try BlurHash(of: image, components: (x, y)) } == .encodeFailed)
  }

  @Test func badSizesAndPunchesAreErrors() throws {
    let hash = try BlurHash(text: Self.gradient)
    for (width, height) in [(0, 5), (-3, 5), (Int.min, Int.min)] {
      let size = PixelSize(width: width, height: height)
      #expect(Pictures.code { () throws(ImageError) in _ = try hash.image(size: size) } == .transformFailed)
    }
    for (width, height) in [(Int.max, Int.max), (1 << 20, 1), (60_000, 60_000)] {
      let size = PixelSize(width: width, height: height)
      #expect(Pictures.code { () throws(ImageError) in _ = try hash.image(size: size) } == .limitExceeded)
    }
    for punch in [Double.nan, .infinity, -.infinity, -1, .greatestFiniteMagnitude] {
      #expect(Pictures.code { () throws(ImageError) in _ = try hash.image(punch: punch) } == .transformFailed)
    }
  }
}
