import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselWebP

struct EncodingTests {
  private typealias T = WebPTesting

  @Test(arguments: [false, true])
  func anAlphaThatCoversEverywhereIsStillAlpha(isLossless: Bool) throws {
    let bitmap = try Bitmap(30, 20, PixelColor(red: 10, green: 200, blue: 30), .rgba8)
    let bytes = try T.encode(Image(bitmap)) { $0.lossless = isLossless }
    let image = try T.decode(bytes)
    #expect(image.bitmap.format == .rgba8)
    #expect(try T.coder.probe(bytes, work: WorkContext()).hasAlpha)
    if isLossless { #expect(image.bitmap == bitmap) }
  }

  @Test func moreEffortMakesASmallerLossyFile() throws {
    let image = try Image(Bitmap.waves(300, 200))
    func bytes(_ method: Int?, lossless: Bool = false) throws -> [UInt8] {
      try T.encode(image) {
        $0.lossless = lossless
        $0.settings[.webpMethod] = method
      }.array
    }
    #expect(try bytes(6).count < bytes(0).count && bytes(4) == bytes(nil) && bytes(9) == bytes(6))
    #expect(try bytes(0, lossless: true) == bytes(nil, lossless: true))
    var options = EncodeOptions()
    for (method, kept) in [(nil, nil), (4, nil), (0, 0), (-1, 0), (7, 6)] as [(Int?, Int?)] {
      options.settings[.webpMethod] = method
      #expect(T.coder.effectiveOptions(options, for: .webp).settings[.webpMethod] == kept)
    }
    options.lossless = true
    #expect(T.coder.effectiveOptions(options, for: .webp).settings.isEmpty)
  }

  @Test func aLimitOfBytesOnAFileWithoutLoss() throws {
    let image = try Image(Bitmap(64, 64, .rgba8) { x, y in [x, y, x ^ y, 255 - x] })
    let most = try T.encode(image) {
      $0.lossless = true
      $0.compressionLevel = 0
    }.count
    let bytes = try T.encode(image) {
      $0.lossless = true
      $0.compressionLevel = 0
      $0.maxFileBytes = most - 1
    }
    #expect(bytes.count < most)
    #expect(try T.decode(bytes).bitmap == image.bitmap)
    let noise = try Image(Bitmap.noise(64, 64, .rgba8))
    let small = try T.encode(noise) {
      $0.lossless = true
      $0.maxFileBytes = 2000
    }
    #expect(small.count <= 2000)
    #expect(try T.decode(small).size.width > 10)
  }

  @Test(arguments: [(16_384, 1), (1, 16_384)])
  func aSideThatTheFormatDoesNotHoldIsRefused(width: Int, height: Int) throws {
    let image = try Image(Bitmap(width, height, .white))
    let error = #expect(throws: ImageError.self) { try T.encode(image) }
    #expect(error?.code == .encodeFailed)
    #expect(
      error?.message == "WebP: the format allows at most 16383 pixels a side, but the picture is \(image.size). "
        + "Set EncodeOptions.maxPixelSize, or write PNG or JPEG.")
    let fitting = try T.encode(image) { $0.maxPixelSize = PixelSize(width: 16_383, height: 16_383) }
    #expect(try max(T.decode(fitting).size.width, T.decode(fitting).size.height) == 16_383)
  }
}
