import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselGIF

struct EncodingTests {
  private typealias T = GIFTesting

  /// A picture of this many colours; the last one may be transparent.
  private func picture(colors: Int, hasAlpha: Bool, shift: Int = 0) throws -> Bitmap {
    try Bitmap(37, 29, hasAlpha ? .rgba8 : .opaqueRGBA8) { x, y in
      let index = (y * 37 + x + shift) % colors
      return hasAlpha && index == colors - 1 ? [0, 0, 0, 0] : [index * 7 % 256, index, 255 - index, 255]
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256], [false, true])
  func upTo256ColoursComeBackExactly(colors: Int, hasAlpha: Bool) throws {
    let bitmap = try picture(colors: colors, hasAlpha: hasAlpha)
    #expect(try T.decode(T.encode(Image(bitmap))).bitmap == bitmap)
    #expect(try T.decode(T.encode(Image(bitmap)) { $0.quality = 0.1 }).bitmap == bitmap)
  }

  @Test(arguments: [false, true])
  func framesDelaysAndPlaysComeBack(hasAlpha: Bool) throws {
    let bitmaps = try (0..<6).map { try picture(colors: 200, hasAlpha: hasAlpha, shift: $0 * $0 * 31) }
    for plays in [0, 1, 2, 7] {
      let frames = Frames(
        bitmaps: bitmaps, durations: (0..<6).map { .milliseconds(20 + 30 * $0) }, loopCount: plays)
      let again = try #require(try T.decode(T.encode(frames.image)).frames)
      #expect(again.count == 6 && again.loopCount == plays)
      for index in 0..<6 {
        #expect(try again.frame(at: index) == bitmaps[index], "frame \(index)")
        #expect(again.duration(at: index) == frames.duration(at: index))
      }
    }
  }

  @Test func whatMovesAloneIsStored() throws {
    let bitmaps = try (0..<30).map { step in
      try Bitmap(200, 100, .opaqueRGBA8) { x, y in
        x / 10 == step / 2 && y / 10 == 3 ? [255, 0, 0, 255] : [x, y, x ^ y & 3, 255]
      }
    }
    let moving = Frames(bitmaps: bitmaps, durations: Array(repeating: .milliseconds(40), count: 30))
    let still = try T.encode(Image(bitmaps[0])).count
    #expect(try T.encode(moving.image).count < still * 3)
  }

  @Test func pixelsMayVanishAndComeBack() throws {
    let shapes: [[Int]] = [
      [1, 1, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0], [2, 2, 2, 2], [0, 0, 0, 2],
    ]
    let bitmaps = try shapes.map { shape in
      try Bitmap(4, 1, .rgba8) { x, _ in shape[x] == 0 ? [0, 0, 0, 0] : [100 * shape[x], 5, 6, 255] }
    }
    let frames = Frames(bitmaps: bitmaps, durations: Array(repeating: .milliseconds(50), count: shapes.count))
    let again = try #require(try T.decode(T.encode(frames.image)).frames)
    for index in shapes.indices { #expect(try again.frame(at: index) == bitmaps[index], "frame \(index)") }
  }

  @Test(arguments: [
    ([16.667, 16.667, 16.667, 16.667, 16.667, 16.667], [2, 2, 2, 2, 2, 2]), ([25, 25, 25, 25], [3, 2, 3, 2]),
    ([33.333, 33.333, 33.334], [3, 4, 3]), ([5, 100], [2, 9]), ([1_000_000], [65_535]), ([100, 0, 50], [10, 2, 3]),
    // A delay beyond the maximum is cut off, and the next frame does not make up for it.
    ([1_000_000, 50], [65_535, 5]),
  ])
  func delaysAreRoundedWithTheirTotalKept(milliseconds: [Double], expected: [Int]) {
    #expect(GIFEncoder.delays(milliseconds.map { .microseconds(Int($0 * 1000)) }) == expected)
  }

  @Test func manyColoursAreChosenWell() throws {
    let bitmap = try Bitmap.waves(120, 90)
    let plain = try GIFCoder(diffusesError: false).encode(
      Image(bitmap), as: .gif, options: EncodeOptions(), work: WorkContext())
    let near = try T.decode(plain).bitmap
    #expect(near.signalToNoise(against: bitmap) > 33)
    let diffused = try T.decode(T.encode(Image(bitmap))).bitmap
    #expect(diffused.signalToNoise(against: bitmap) > 30)
    // Seen from a distance, the diffused picture is closer to the original.
    let size = PixelSize(width: 20, height: 15)
    let far = try bitmap.resized(to: size)
    #expect(
      try diffused.resized(to: size).signalToNoise(against: far)
        > near.resized(to: size).signalToNoise(against: far))
    #expect(try T.encode(Image(bitmap)).data() == T.encode(Image(bitmap)).data())
  }

  @Test func noiseOfEveryColourIsWritten() throws {
    let bitmap = try Bitmap.noise(90, 60, .opaqueRGBA8)
    #expect(try T.decode(T.encode(Image(bitmap))).bitmap.signalToNoise(against: bitmap) > 14)
  }

  @Test func halfSeenPixelsAreLaidOverTheBackground() throws {
    let alphas = [0, 127, 128, 200, 255]
    let bitmap = try Bitmap(5, 1, .rgba8) { x, _ in [100, 0, 200, alphas[x]] }
    let again = try T.decode(T.encode(Image(bitmap)) { $0.backgroundColor = PixelColor(red: 0, green: 255, blue: 0) })
      .bitmap
    #expect(again.components(0, 0) == [0, 0, 0, 0] && again.components(1, 0) == [0, 0, 0, 0])
    #expect(again.components(2, 0) == [50, 127, 100, 255])
    #expect(again.components(3, 0) == [78, 55, 157, 255])
    #expect(again.components(4, 0) == [100, 0, 200, 255])
  }

  @Test func theFileIsMadeToFitALimit() throws {
    let image = try Image(Bitmap.waves(60, 45))
    let whole = try T.encode(image).count
    // Colours are reduced before pixels.
    let bytes = try T.encode(image) { $0.maxFileBytes = whole * 4 / 5 }
    #expect(bytes.count <= whole * 4 / 5)
    #expect(try T.decode(bytes).size == image.size)
    let tiny = try T.encode(image) { $0.maxFileBytes = 500 }
    #expect(tiny.count <= 500)
    #expect(try T.decode(tiny).size.width < 60)
    let error = #expect(throws: ImageError.self) { try T.encode(image) { $0.maxFileBytes = 20 } }
    #expect(error?.code == .encodeFailed)
  }

  @Test func thePictureIsMadeToFitABoxAndStandsUpright() throws {
    let bitmap = try picture(colors: 9, hasAlpha: false)
    let metadata = ImageMetadata(storedSize: bitmap.size, orientation: .right)
    let again = try T.decode(T.encode(Image(bitmap, metadata: metadata)))
    #expect(try again.bitmap == bitmap.oriented(.right))
    let small = try T.decode(T.encode(Image(bitmap)) { $0.maxPixelSize = PixelSize(width: 10, height: 10) })
    #expect(small.size == bitmap.size.thumbnail(in: PixelSize(width: 10, height: 10)))
  }

  @Test func theProfileFollowsThePixelsAndXMPOnRequest() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 37, height: 29))
    metadata.iccProfile = Data((0..<3000).map { UInt8($0 % 251) })
    metadata.xmp = Data("<x:xmpmeta>\u{1}\u{ff} and so on</x:xmpmeta>".utf8)
    let image = Image(try picture(colors: 9, hasAlpha: false), metadata: metadata)
    let kept = try T.encode(image) { $0.keepsMetadata = true }
    let again = try T.decode(kept) { $0.convertsColor = false }
    #expect(again.metadata.iccProfile == metadata.iccProfile)
    #expect(again.metadata.xmp == metadata.xmp)
    #expect(try T.coder.probe(kept, work: WorkContext()).iccProfileBytes == 3000)
    #expect(try T.decode(T.encode(image)).metadata.xmp == nil)
    var limits = Limits()
    limits.metadataBytes = 1000
    let error = #expect(throws: ImageError.self) { try T.coder.probe(kept, work: WorkContext(limits: limits)) }
    #expect(error?.code == .limitExceeded)
  }
}
